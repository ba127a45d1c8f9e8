// The site offline. A template: the build puts in the version and the digest of every file.
//
// A version is stored whole or not at all. It waits until the person asks for it; then windows that still show the earlier
// version keep its files, under names of their own, until they are closed or reloaded.
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
const HASHED = /^[a-z-]+-[0-9a-f]{16}(_bg)?\.[a-z]+$/;

// Which windows were open when this version took over; stored with it, as a worker is stopped and started at any time.
const EARLIER = `${ROOT}?earlier-windows`;
const BOOT = address('boot.js');

const ours = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));
const windows = async () => (await self.clients.matchAll({ type: 'window', includeUncontrolled: true })).map(({ id }) => id);

async function install() {
  const others = await ours();
  const kept = await Promise.all(others.map((name) => caches.open(name)));
  const cache = await caches.open(CACHE);
  const stored = await Promise.allSettled(FILES.map(([file, integrity]) => store(cache, kept, address(file), integrity)));
  const failed = stored.find(({ status }) => status === 'rejected');
  if (!failed && (await caches.has(CACHE))) return;
  // Nothing half stored; and all have ended, so that nothing is written afterwards.
  if (!others.includes(CACHE)) await caches.delete(CACHE);
  throw failed?.reason ?? new Error('removed');
}

async function store(cache, kept, address, integrity) {
  for (const one of kept) {
    const same = await one.match(address);
    if (same && (await digest(same.clone())) === integrity) return cache.put(address, same);
  }
  // A redirected answer is another site's, as that of a network that asks for a login first.
  const response = await fetch(new Request(address, { cache: 'no-cache', redirect: 'error', integrity }));
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  await cache.put(address, response);
}

async function digest(response) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await response.arrayBuffer()));
  return `sha256-${btoa(String.fromCharCode(...bytes))}`;
}

async function activate() {
  const open = await windows();
  await self.clients.claim();
  const cache = await caches.open(CACHE);
  await cache.put(EARLIER, new Response(JSON.stringify(open)));
  await tidy();
}

// Removes what no window can ask for any more. A version that is on its way has a cache too.
async function tidy() {
  const others = (await ours()).filter((name) => name !== CACHE);
  if (others.length === 0 || self.registration.installing || self.registration.waiting) return;
  const noted = await (await caches.open(CACHE)).match(EARLIER);
  const earlier = noted ? await noted.json() : [];
  if ((await windows()).some((id) => earlier.includes(id))) return;
  for (const name of others) await caches.delete(name);
}

async function answer(request, key) {
  const found = KNOWN.has(key) ? await (await caches.open(CACHE)).match(key) : await earlier(key);
  return found ?? fetch(request);
}

async function earlier(key) {
  for (const name of await ours()) {
    const found = await (await caches.open(name)).match(key);
    if (found) return found;
  }
}

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));

self.addEventListener('message', (event) => {
  if (event.data === 'SKIP_WAITING') self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const url = new URL(event.request.url);
  url.search = '';
  url.hash = '';
  const key = folder(url.href);
  if (!KNOWN.has(key) && !(key.startsWith(ROOT) && HASHED.test(key.slice(ROOT.length)))) return;
  event.respondWith(answer(event.request, key));
  // Every page asks for it, once the one that it replaces is gone.
  if (key === BOOT) event.waitUntil(tidy());
});
