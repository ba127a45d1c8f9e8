// What the tests of the embed share: a page of another origin around the calculator.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from '../fixtures.mjs';
import { rested } from '../pages/rest.mjs';
import { serve } from '../serve.mjs';

export { expect };

export const test = base.extend({
  // The host itself is the other site here.
  expected: [[/request to another site: http:\/\/127\.0\.0\.1:\d+\//], { option: true }],

  // Another origin: its folder, its address, and what puts a file there.
  host: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'shardwise-host-'));
    const { url, stop } = await serve({ dir });
    const write = (name, html) => writeFileSync(join(dir, name), `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Host</title>${html}`);
    await use({ url, write });
    await stop();
    rmSync(dir, { recursive: true, force: true });
  },

  // A third origin, with one page.
  stranger: async ({}, use) => {
    const server = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><p>A stranger</p><script>window.heard = []; addEventListener("message", ({ data }) => heard.push(data));</script>'));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    await use(`http://127.0.0.1:${server.address().port}/`);
    server.close();
  },

  openHost: async ({ page, host }, use) => {
    await use(async (body) => {
      host.write('index.html', body);
      await page.goto(host.url);
      return page.locator('iframe');
    });
  },
});

/** An element in a page that loads its script from the site. */
export const element = (site, attributes = '') => `
  <script src="${site}embed.js"></script>
  <shardwise-calculator ${attributes}></shardwise-calculator>`;

/** Waits until the calculator in a frame has started; its root element. */
export async function started(frame) {
  const root = frame.contentFrame().locator('html');
  // Without waiting for two drawn frames, as Playwright's own would: a page that has nothing new to show may draw none.
  await frame.evaluate((own) => own.scrollIntoView({ block: 'nearest' }));
  await expect(root).toHaveAttribute('data-ready', '1');
  return root;
}

export const height = (frame) => frame.evaluate((own) => Number.parseInt(own.style.height || '0', 10));

/** The frame's height once its page rests, and the host has heard how high that is. */
export async function resting(frame) {
  const root = await started(frame);
  await rested(root);
  const content = () => root.evaluate((own) => Math.ceil(own.getBoundingClientRect().height));
  await expect.poll(async () => (await height(frame)) === Math.max(120, await content())).toBe(true);
  return height(frame);
}

/** Has the page note when it is told that a flood of messages has ended: `await page.evaluate(() => window.ended)`. */
export const awaitEnd = (page) => page.evaluate(() => {
  window.ended = new Promise((done) => {
    window.addEventListener('message', ({ data }) => data === 'the end' && done());
  });
});

/** Waits until a frame has taken every message before the one that `tell` sends it, and rests. */
export async function heeded(root, tell) {
  await root.evaluate(() => {
    // It gathers messages for a while, by a timer: a longer one that begins later ends after it.
    window.heeded = new Promise((done) => {
      window.addEventListener('message', ({ data }) => data === 'the last' && setTimeout(done, 200));
    });
  });
  await tell('the last');
  await root.evaluate(() => window.heeded);
  await rested(root);
}

/** Gathers the events of the element in the page: `window.events`, kind and document. */
export const gather = (page) => page.evaluate(() => {
  window.events = [];
  for (const kind of ['question', 'answer']) {
    document.querySelector('shardwise-calculator').addEventListener(kind, ({ detail }) => window.events.push([kind, detail]));
  }
});

/** The latest event of a kind that a test is happy with, once there is one. */
export async function event(page, kind, good) {
  let found;
  await expect.poll(async () => {
    const events = await page.evaluate(() => window.events);
    found = events.findLast(([own, document]) => own === kind && good(document))?.[1];
    return found !== undefined;
  }).toBe(true);
  return found;
}

/** A question of the interface. */
export const QUESTION = {
  version: 1,
  model: 'llama-3.1-8b',
  hardware: { gpu: 'b200-sxm', gpus: 32 },
  workload: { kind: 'sft', sequence_length: 8192, global_batch: 128 },
};
