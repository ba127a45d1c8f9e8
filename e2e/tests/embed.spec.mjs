// The page inside another site: it reports its height, and the host's script trusts no one else.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from '../fixtures.mjs';
import { serve } from '../serve.mjs';

// A page of another origin, with the calculator in a frame.
const test = base.extend({
  openHost: async ({ page }, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'shardwise-host-'));
    const host = await serve({ dir });
    await use(async (body) => {
      writeFileSync(join(dir, 'index.html'), `<!doctype html><link rel="icon" href="data:,"><title>Host</title>${body}`);
      await page.goto(host.url);
      return page.locator('iframe');
    });
    await host.stop();
    rmSync(dir, { recursive: true, force: true });
  },
});

const frameHtml = (baseURL, sandbox) => `
  <iframe data-shardwise title="Shardwise" width="700" height="100" sandbox="${sandbox}" src="${baseURL}?embed"></iframe>
  <script src="${baseURL}embed.js"></script>`;

const height = (frame) => frame.evaluate((element) => Number.parseInt(element.style.height || '0', 10));

/** The frame's height once its content has stopped growing: the comparison of GPUs arrives in slices. */
async function resting(frame) {
  await expect(frame.contentFrame().locator('html')).toHaveAttribute('data-ready', '1', { timeout: 30_000 });
  let last = 0;
  await expect.poll(async () => {
    const before = last;
    last = await height(frame);
    return last >= 120 && last === before;
  }, { intervals: [1_000], timeout: 30_000 }).toBe(true);
  return last;
}

// The host itself is the other site here.
test.use({ expected: [/request to another site: http:\/\/127\.0\.0\.1:\d+\/$/] });

for (const sandbox of ['allow-scripts allow-same-origin', 'allow-scripts']) {
  test(`starts in a frame with sandbox="${sandbox}"`, async ({ openHost, baseURL }) => {
    const frame = await openHost(frameHtml(baseURL, sandbox));
    const inside = frame.contentFrame();
    await expect(inside.locator('html')).toHaveAttribute('data-ready', '1', { timeout: 30_000 });
    await expect(inside.getByRole('heading').first()).toBeAttached();
  });
}

test('gives the frame the height of its content', async ({ openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const content = () => frame.contentFrame().locator('html').evaluate((element) => Math.ceil(element.getBoundingClientRect().height));
  await expect(frame.contentFrame().locator('html')).toHaveAttribute('data-ready', '1', { timeout: 30_000 });
  await expect.poll(() => height(frame)).toBeGreaterThanOrEqual(120);
  await expect.poll(async () => (await height(frame)) === Math.max(120, await content())).toBe(true);
});

test('heeds no height from elsewhere', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const before = await resting(frame);
  await page.evaluate(() => window.postMessage({ type: 'shardwise:height', v: 1, height: 19_000 }, '*'));
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
  expect(await height(frame)).toBe(before);
});

test('clamps a height that makes no sense', async ({ openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const inside = frame.contentFrame().locator('html');
  await resting(frame);
  const send = (value) => inside.evaluate((_, v) => window.parent.postMessage({ type: 'shardwise:height', v: 1, height: v }, '*'), value);
  await send(1e9);
  await expect.poll(() => height(frame)).toBe(20_000);
  await send(-5);
  await expect.poll(() => height(frame)).toBe(120);
});

test('registers no service worker in a frame', async ({ openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const inside = frame.contentFrame().locator('html');
  await expect(inside).toHaveAttribute('data-ready', '1', { timeout: 30_000 });
  expect(await inside.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
});
