// A new version comes whole or not at all, whatever the network does, and never under a person's hands. In the middle of the alphabet:
// the browser may put a change off for minutes, in which the other files go on.

import { rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect, test } from '../fixtures.mjs';
import { accept, failed, kept, stored, update } from '../pages/offline.mjs';

const FAILURES = {
  'an error of the host': (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('no'),
  'a cut connection': (response) => {
    response.writeHead(200, { 'content-length': 5000 });
    response.write('the beginning', () => response.destroy());
  },
  'a page in its place': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>'),
  'a way to another site': (response) => response.writeHead(302, { location: 'http://portal.example/' }).end(),
};

// Chromium puts a change off for up to five minutes while it takes the earlier version's worker to be at work.
test.describe.configure({ timeout: 420_000 });

/** Half of the failures, every other one from a place on; all of them in `make test-long`. */
const half = (from) => Object.entries(FAILURES).filter((_, place) => process.env.LONG || place % 2 === from);

/** The page and one file of every other kind; all of them in `make test-long`. */
const tried = (files) => (process.env.LONG ? files : [...new Map([...files, 'index.html'].map((file) => [extname(file), file])).values()]);

async function visit(host) {
  const page = await host.context.newPage();
  await page.goto(host.url);
  await ready(page);
  await stored(page);
  return page;
}

const ready = (page) => expect(page.locator('html')).toHaveAttribute('data-ready', '1');
const version = (page) => page.evaluate(() => document.documentElement.dataset.site ?? 'first');

async function worksOffline(host, page, wanted) {
  await host.context.setOffline(true);
  for (const address of ['', 'accuracy/']) {
    await page.goto(host.url + address);
    await ready(page);
    expect(await version(page)).toBe(wanted);
  }
  await page.goto(host.url);
  await ready(page);
  await expect(page.locator('#flags-panel pre').first()).toBeVisible();
  await host.context.setOffline(false);
}

test('takes what has not changed from what is stored', async ({ host }) => {
  const page = await visit(host);
  const asked = [];
  host.interfere = (file) => void asked.push(file);
  host.rename('0123456789abcdef');
  expect(await update(page)).toBe('installed');
  expect(asked).toEqual(['sw.js']);
  await accept(page);
  await ready(page);
  await expect.poll(async () => Object.keys(await kept(page))).toEqual(['shardwise / 0123456789abcdef']);
});

test('lets a window of the earlier version go on, and offers it the new one', async ({ host }) => {
  const first = await visit(host);
  const second = await host.context.newPage();
  await second.goto(host.url);
  await ready(second);
  host.publish('second');
  expect(await update(first)).toBe('installed');
  await expect(second.locator('#update')).toBeVisible();
  await accept(first);
  await ready(first);
  expect(await version(first)).toBe('second');
  expect(Object.keys(await kept(first))).toHaveLength(2);

  // The other window: as it was, with its own files, although neither the host nor the new version has them.
  expect(await version(second)).toBe('first');
  await host.context.setOffline(true);
  const [saved] = await Promise.all([second.waitForEvent('download'), second.locator('[data-figure=svg]').first().evaluate((button) => button.click())]);
  expect(saved.suggestedFilename()).toMatch(/^shardwise-.*\.svg$/);
  const worker = await second.evaluate(async () => {
    const file = document.documentElement.dataset.worker;
    const asked = new Worker(file, { type: 'module' });
    const heard = new Promise((done) => asked.addEventListener('message', ({ data }) => data !== null && done(data)));
    asked.postMessage(JSON.stringify({ id: 1, task: { is: 'answer', hash: 'v=1&model=qwen3-8b' } }));
    return JSON.parse(await heard).result.answer;
  });
  expect(worker.version).toBe(1);
  await host.context.setOffline(false);

  await second.locator('#update').getByRole('button').first().click();
  await expect(second.locator('html')).toHaveAttribute('data-site', 'second');
  await ready(second);
  await expect.poll(async () => Object.keys(await kept(second)).length).toBe(1);
  await worksOffline(host, second, 'second');
});

test('goes from the first version to the third while the second waits', async ({ host }) => {
  const page = await visit(host);
  for (const mark of ['second', 'third']) {
    host.publish(mark);
    expect(await update(page)).toBe('installed');
  }
  expect(await version(page)).toBe('first');
  await accept(page);
  await ready(page);
  expect(await version(page)).toBe('third');
  await expect.poll(async () => Object.keys(await kept(page)).length).toBe(1);
});

test('changes by itself once no window is open', async ({ host }) => {
  const page = await visit(host);
  host.publish('second');
  expect(await update(page)).toBe('installed');
  // When the browser notices that nobody shows the first version any more is its own affair. It says so itself: a look at
  // the page would show the first version again.
  const browser = await host.context.newCDPSession(page);
  const changed = new Promise((done) => {
    const states = new Map();
    browser.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      for (const { versionId, status } of versions) states.set(versionId, status);
      if ([...states.values()].sort().join() === 'activated,redundant') done();
    });
  });
  await browser.send('ServiceWorker.enable');
  await page.goto('about:blank');
  await changed;
  await page.goto(host.url);
  await ready(page);
  expect(await version(page)).toBe('second');
  await expect.poll(async () => Object.keys(await kept(page)).length).toBe(1);
});

test.describe('while the host or the network fails', () => {
  for (const [failure, fail] of half(0)) {
    test(`leaves the old version whole after ${failure} at ${process.env.LONG ? 'any file' : 'a file of each kind'}`, async ({ host }) => {
      const page = await visit(host);
      const before = await kept(page);
      const { files } = host.publish('second');
      let outcome = '';
      for (const file of tried(files)) {
        let failed = 0;
        host.interfere = (asked, response) => {
          if (asked !== file.replace(/index\.html$/, '')) return false;
          failed += 1;
          fail(response);
          return true;
        };
        outcome = await update(page);
        expect([file, outcome, failed]).toEqual([file, 'redundant', 1]);
        expect(await kept(page), file).toEqual(before);
      }
      await worksOffline(host, page, 'first');
      host.interfere = null;
      expect(await update(page)).toBe('installed');
      expect(await version(page)).toBe('first');
      await accept(page);
      await ready(page);
      expect(await version(page)).toBe('second');
      await expect.poll(async () => Object.keys(await kept(page)).length).toBe(1);
      await worksOffline(host, page, 'second');
    });
  }

  test('stores nothing while a host is half-way through an upload, and works', async ({ host }) => {
    const page = await host.context.newPage();
    host.publish('second');
    // The worker of one version with the files of another.
    host.publish('third', { worker: false });
    const asked = [];
    host.interfere = (file) => void asked.push(file);
    await page.goto(host.url);
    await ready(page);
    await failed(page, asked);
    expect(await kept(page)).toEqual({});
    host.publish('fourth');
    await page.reload();
    await ready(page);
    await stored(page);
    await worksOffline(host, page, 'fourth');
  });

  test('keeps the site where the host answers every missing file with a page', async ({ host }) => {
    const page = await visit(host);
    const before = await kept(page);
    const { files } = host.publish('second');
    rmSync(join(host.dir, files.find((file) => file.endsWith('.wasm'))));
    const present = new Set(['sw.js', ...files.map((file) => file.replace(/index\.html$/, ''))]);
    host.interfere = (asked, response) => {
      if (present.has(asked) && !asked.endsWith('.wasm')) return false;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Home</title>');
      return true;
    };
    expect(await update(page)).toBe('redundant');
    expect(await kept(page)).toEqual(before);
    await worksOffline(host, page, 'first');
  });

  for (const [what, fail] of half(1)) {
    test(`keeps the site where the whole network answers with ${what}`, async ({ host }) => {
      const page = await visit(host);
      const before = await kept(page);
      host.publish('second');
      host.interfere = (asked, response) => {
        fail(response);
        return true;
      };
      expect(await update(page)).toBe('refused');
      await page.reload();
      await ready(page);
      expect(await version(page)).toBe('first');
      expect(await kept(page)).toEqual(before);
      await worksOffline(host, page, 'first');
    });
  }
});
