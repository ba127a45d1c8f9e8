// The site works offline after one visit, and never changes under a person's hands.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../fixtures.mjs';
import { PasteBox } from '../pages/paste.mjs';
import { serve } from '../serve.mjs';

const SITE = fileURLToPath(new URL('../../dist', import.meta.url));

test('opens offline after one visit, whatever the query and the hash', async ({ page, context, calculator }) => {
  await calculator.open();
  await calculator.stored();
  await context.setOffline(true);
  for (const suffix of ['', '?x=1#v=1', 'index.html']) {
    await calculator.open(suffix);
    await expect(calculator.heading()).toBeAttached();
  }
});

test('writes flags and reads scripts offline', async ({ page, context, calculator }) => {
  await calculator.open();
  await calculator.stored();
  await context.setOffline(true);
  await calculator.open('?offline');
  await expect(page.locator('#flags-panel pre').first()).toContainText('python3 -m verl.trainer.main_ppo');
  await page.locator('#tab-chatlearn').click();
  await expect(page.locator('#flags-panel').locator('pre, .callout').first()).toBeVisible();
  const box = new PasteBox(page);
  await box.paste('{ "zero_optimization": { "stage": 3 }, "train_batch_size": 64 }');
  await expect(box.report).toContainText('DeepSpeed');
});

test('stores nothing that differs from the build', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.stored();
  const stored = await page.evaluate(async () => {
    const names = await caches.keys();
    const keys = await (await caches.open(names[0])).keys();
    return { names, files: keys.map((request) => new URL(request.url).pathname) };
  });
  expect(stored.names).toHaveLength(1);
  expect(stored.names[0]).toMatch(/^shardwise \/a\/b\/ [0-9a-f]{16}$/);
  expect(stored.files).toContain('/a/b/');
  expect(stored.files.some((file) => file.endsWith('.wasm'))).toBe(true);
  expect(stored.files).not.toContain('/a/b/sw.js');
});

test.describe('a new version', () => {
  let copy;
  let site;

  test.beforeEach(async () => {
    copy = mkdtempSync(join(tmpdir(), 'shardwise-'));
    cpSync(SITE, copy, { recursive: true });
    site = await serve({ dir: copy });
  });

  test.afterEach(async () => {
    await site.stop();
    rmSync(copy, { recursive: true, force: true });
  });

  test('waits until it is accepted', async ({ browser }) => {
    const page = await browser.newPage();
    const html = page.locator('html');
    await page.goto(site.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await expect(html).not.toHaveAttribute('data-update', '1');

    const worker = join(copy, 'sw.js');
    writeFileSync(worker, readFileSync(worker, 'utf8').replace(/const VERSION = "[0-9a-f]+"/, 'const VERSION = "0123456789abcdef"'));
    await page.reload();
    await expect(html).toHaveAttribute('data-ready', '1');
    await expect(html).toHaveAttribute('data-update', '1');
    expect(await page.evaluate(() => caches.keys())).toHaveLength(2);

    const reloaded = page.waitForEvent('load');
    await page.evaluate(() => window.dispatchEvent(new CustomEvent('shardwise:update-accept')));
    await reloaded;
    await expect(html).toHaveAttribute('data-ready', '1');
    await expect(html).not.toHaveAttribute('data-update', '1');
    await expect.poll(() => page.evaluate(() => caches.keys())).toEqual(['shardwise / 0123456789abcdef']);
    await page.close();
  });
});
