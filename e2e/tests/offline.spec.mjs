// The site works offline after one visit. How it changes to a new version: new-version.spec.mjs.

import { expect, test } from '../fixtures.mjs';
import { PasteBox } from '../pages/paste.mjs';

test.use({ stored: true });

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
  await calculator.settled();
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

test('opens links, the accuracy page and the methods pages offline, in both languages', async ({ page, context, calculator }) => {
  await calculator.open();
  await calculator.stored();
  await context.setOffline(true);
  const link = '#v=1&model=qwen3-8b&hardware.gpu=h20&workload.kind=sft&workload.sequence_length=4096&workload.global_batch=64&z=1';
  for (const [lang, title] of [['en', /does it fit/], ['zh', /Shardwise/]]) {
    await calculator.open(`?lang=${lang}${link}`);
    await expect(page).toHaveTitle(title);
    await expect(page.locator('html')).toHaveAttribute('lang', lang === 'en' ? 'en' : 'zh-CN');
    await expect(page.locator('#hardware-gpu')).toHaveValue('h20');
    await page.goto(`./accuracy/?lang=${lang}`);
    await calculator.started();
    await expect(page.locator('table').first()).toBeVisible();
    await page.goto(lang === 'en' ? './methods/' : './methods/zh/');
    await expect(page.locator('h2').first()).toBeVisible();
    expect(await page.locator('math, code').count()).toBeGreaterThan(20);
  }
});

test('saves a chart offline', async ({ page, context, calculator }) => {
  await calculator.open();
  await calculator.stored();
  await context.setOffline(true);
  await calculator.open();
  await calculator.settled();
  const button = page.locator('[data-figure=svg]').first();
  const [saved] = await Promise.all([page.waitForEvent('download'), button.evaluate((one) => one.click())]);
  expect(saved.suggestedFilename()).toMatch(/\.svg$/);
});

test('leaves caches of other sites alone', async ({ page, calculator }) => {
  await page.goto('./404.html');
  await page.evaluate(() => Promise.all(['other', 'shardwise /a/ 0123456789abcdef', 'shardwise /a/b/ 0000000000000000'].map((name) => caches.open(name))));
  await calculator.open();
  await calculator.stored();
  await calculator.open('?again');
  await expect.poll(() => page.evaluate(async () => (await caches.keys()).map((name) => name.replace(/b\/ [0-9a-f]{16}$/, 'b/ own')).sort()))
    .toEqual(['other', 'shardwise /a/ 0123456789abcdef', 'shardwise /a/b/ own']);
});
