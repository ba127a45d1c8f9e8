self.addEventListener('install', () => {}); self.addEventListener('activate', () => {}); self.addEventListener('fetch', () => {});
