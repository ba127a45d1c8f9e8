// What a browser keeps of the site, and how it takes a new version. Run in the page.

import { expect } from '@playwright/test';

/** Every cache with the digest of all that is in it: the same text, the same bytes under the same addresses. */
export const kept = (page) => page.evaluate(async () => {
  const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const digest = async (bytes) => hex(await crypto.subtle.digest('SHA-256', bytes));
  const all = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const lines = [];
    for (const request of await cache.keys()) lines.push(`${request.url} ${await digest(await (await cache.match(request)).arrayBuffer())}`);
    all[name] = `${lines.length} ${await digest(new TextEncoder().encode(lines.sort().join('\n')))}`;
  }
  return all;
});

/** Waits until the page is served from what is stored. */
export async function stored(page) {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, null, { timeout: 0 });
}

/** Looks for a new version: 'installed', 'redundant' where its installation failed, 'none' or 'refused' without one. */
export const update = (page) => page.evaluate(async () => {
  const registration = await navigator.serviceWorker.getRegistration();
  const end = new Promise((done) => {
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      // It may have failed before this is heard.
      if (!worker) return done('redundant');
      const look = () => ['installed', 'redundant'].includes(worker.state) && done(worker.state);
      worker.addEventListener('statechange', look);
      look();
    }, { once: true });
  });
  try {
    await registration.update();
  } catch {
    return 'refused';
  }
  return registration.installing ? end : 'none';
});

/** Takes the waiting version, as the banner's button does. */
export async function accept(page) {
  const reloaded = page.waitForEvent('load');
  await page.locator('#update').getByRole('button').first().click();
  await reloaded;
}

/** Waits until a first installation has begun, by what the host was asked for, and has failed. */
export async function failed(page, asked) {
  await expect.poll(() => asked.includes('sw.js') && asked.includes('methods/')).toBe(true);
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) === undefined)).toBe(true);
}
