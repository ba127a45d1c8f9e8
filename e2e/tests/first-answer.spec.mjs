// What a first visit is answered stands in the page before any program does, and is what the program then says.

import { expect, test } from '../fixtures.mjs';

const LANGUAGES = { 'en-US': 'en', 'zh-CN': 'zh-CN' };
// Whatever a person reads at a glance.
const read = (root) => root.locator('.verdict').innerText();

for (const [locale, lang] of Object.entries(LANGUAGES)) {
  test.describe(`in ${lang}`, () => {
    test.use({ locale });
    test('the first answer stands before any program, and stays when that has started', async ({ page, calculator }) => {
      let pass;
      const held = new Promise((done) => {
        pass = done;
      });
      await page.route('**/*.wasm', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto('./', { waitUntil: 'commit' });
      const first = page.locator(`.boot-first[lang="${lang}"]`);
      await expect(first.locator('.verdict')).toBeVisible();
      await expect(page.locator('.boot-first:visible')).toHaveCount(1);
      await expect(page.locator('.boot-page')).toBeHidden();
      const before = await read(first);
      expect(before).toMatch(/GiB/);
      // A browser that fills in forms would lay out the page for these before its style sheet is there.
      await expect(page.locator('.boot-first').locator('select, textarea, input:not([type=radio], [type=checkbox])')).toHaveCount(0);
      const [box] = [await first.locator('.verdict').boundingBox()];

      // It can be read, not used.
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement.closest('.boot-first'))).toBeNull();

      pass();
      await calculator.started();
      await expect(first).toHaveCount(0);
      // What the worker writes may have come since.
      const after = await read(page.locator('#answer'));
      for (const line of before.split('\n').filter((line) => /\d/.test(line))) expect(after).toContain(line);
      const now = await page.locator('#answer .verdict').boundingBox();
      expect(Math.abs(now.x - box.x) + Math.abs(now.y - box.y) + Math.abs(now.width - box.width)).toBeLessThan(2);
    });
  });
}

for (const width of [412, 1440]) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height: 823 } });
    test('nothing moves as the page is built and takes over', async ({ page, calculator }) => {
      await page.addInitScript(() => {
        window.moved = [];
        const note = (list) => list.getEntries().forEach(({ value, sources }) => window.moved.push(`${value} ${sources.map(({ node }) => node?.outerHTML?.slice(0, 80))}`));
        new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true });
      });
      await calculator.open();
      await calculator.settled();
      expect(await page.evaluate(() => window.moved)).toEqual([]);
    });
  });
}

test('an address with a question shows the outline, not the answer to another', async ({ page }) => {
  await page.route('**/*.wasm', () => {});
  await page.goto('./#v=1&model=qwen3-8b', { waitUntil: 'commit' });
  await expect(page.locator('.boot-page')).toBeVisible();
  await expect(page.locator('.boot-first:visible')).toHaveCount(0);
});

test('a question that wants to be surer shows the outline', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('shardwise-sure', '99'));
  await page.route('**/*.wasm', () => {});
  await page.goto('./', { waitUntil: 'commit' });
  await expect(page.locator('.boot-page')).toBeVisible();
});

test('a page that does not start says so, and shows nothing that looks as if it could be used', async ({ page, calculator }) => {
  await page.addInitScript(() => delete window.WebAssembly);
  await page.goto('./');
  await expect(calculator.failure).toBeVisible();
  await expect(page.locator('.boot-first:visible')).toHaveCount(0);
  await expect(page.locator('.boot-lead')).toBeVisible();
});

test('a page of text keeps its language, and takes the colours of an earlier visit', async ({ page }) => {
  await page.addInitScript(() => Object.assign(localStorage, { 'shardwise-lang': 'en', 'shardwise-theme': 'dark' }));
  for (const [address, lang] of [['methods/zh/', 'zh-CN'], ['command-line/', 'en']]) {
    await page.goto(`./${address}`);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  }
});
