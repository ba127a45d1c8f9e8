// The site offline. A template: the build puts in the version and the digest of every file.
'use strict';

const VERSION = '@VERSION@';
const FILES = '@FILES@';

// Caches belong to an origin, and one origin may hold several copies of the site under several paths.
const PREFIX = `shardwise ${new URL(self.registration.scope).pathname} `;
const CACHE = PREFIX + VERSION;
const ROOT = self.registration.scope;

// A page is asked for under its folder's address: some hosts redirect index.html there, and a
// redirected answer may not serve a navigation.
const folder = (address) => address.replace(/(?<=\/)index\.html$/, '');
const address = (file) => folder(new URL(file, ROOT).href);
const KNOWN = new Set(FILES.map(([file]) => address(file)));

async function store(cache, file, integrity) {
  const response = await fetch(new Request(address(file), { cache: 'no-cache', integrity }));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  await cache.put(address(file), response);
}

async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(FILES.map(([file, integrity]) => store(cache, file, integrity)));
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}

async function answer(request, key) {
  const cache = await caches.open(CACHE);
  return (await cache.match(key)) ?? fetch(request);
}

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));

// A new version waits until the person asks for it.
self.addEventListener('message', (event) => {
  if (event.data === 'SKIP_WAITING') self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const url = new URL(event.request.url);
  url.search = '';
  url.hash = '';
  const key = folder(url.href);
  if (KNOWN.has(key)) event.respondWith(answer(event.request, key));
});
