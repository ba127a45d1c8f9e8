// Runs before the first paint: language and colours of an earlier visit, and whether the first answer that the page holds
// (scripts/first-answer.mjs) is the one to be shown. The program looks after both from its start on.
'use strict';

(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  let kept = {};
  try {
    kept = localStorage;
  } catch {
    // Storage may be refused, as in a sandboxed frame.
  }
  const tags = [query.get('lang'), kept['shardwise-lang'], navigator.language];
  const [lang = 'en'] = tags.map((tag) => /^(en|zh)(?![a-z])/i.exec(tag ?? '')?.[1].toLowerCase()).filter(Boolean);
  const theme = [query.get('theme'), kept['shardwise-theme']].find((word) => ['auto', 'light', 'dark'].includes(word));
  // A page of text has one language, and no program: nothing of that stands in its root.
  if (root.dataset.worker ?? root.dataset.runs) root.lang = { en: 'en', zh: 'zh-CN' }[lang];
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const usual = (kept['shardwise-sure'] ?? '95') === '95';
  if (usual && !query.has('embed') && !location.hash.includes('=')) root.dataset.first = lang;
})();
