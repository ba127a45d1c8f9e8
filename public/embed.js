// For a page that embeds the calculator: gives each frame the height that its content reports.
//
//   <iframe data-shardwise src="https://host/path/?embed" title="Shardwise" loading="lazy"
//           sandbox="allow-scripts allow-same-origin allow-popups" allow="clipboard-write"></iframe>
//   <script src="https://host/path/embed.js" defer></script>
'use strict';

(() => {
  const LEAST = 120;
  const MOST = 20000;

  window.addEventListener('message', (event) => {
    const message = event.data;
    if (!message || message.type !== 'shardwise:height' || message.v !== 1) return;
    const height = Number(message.height);
    if (!Number.isFinite(height)) return;
    for (const frame of document.querySelectorAll('iframe[data-shardwise]')) {
      // Both must hold: the message comes from this frame, and the frame still shows the calculator's site.
      if (frame.contentWindow !== event.source || new URL(frame.src).origin !== event.origin) continue;
      frame.style.height = `${Math.min(Math.max(height, LEAST), MOST)}px`;
    }
  });
})();
