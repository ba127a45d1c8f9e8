// The parts of the page on one page (gallery/index.html): it shows what there is, and nothing of it is at fault.

import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { faults } from '../looks/faults.mjs';

const STYLE = new URL('../../app/style/', import.meta.url);
const sheets = readdirSync(STYLE).filter((file) => file.endsWith('.css'));
const css = sheets.map((file) => readFileSync(new URL(file, STYLE), 'utf8')).join('\n').replaceAll(/\/\*[\s\S]*?\*\//g, '');
const known = new Set([...css.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name));

test('every style sheet has its part, and no class is made up', async ({ page }) => {
  await page.goto('./gallery/');
  const shown = await page.locator('[data-css]').evaluateAll((all) => all.flatMap((part) => part.dataset.css.split(' ')));
  // The bar on top and the foot are the gallery's own, too.
  expect([...shown, 'nav'].sort(), 'add a part to e2e/gallery/index.html').toEqual(sheets.map((file) => file.replace('.css', '')).sort());
  const used = await page.evaluate(() => [...document.querySelectorAll('[class]')].flatMap((element) => [...element.classList]));
  expect([...new Set(used)].filter((name) => !name.startsWith('g-') && !known.has(name))).toEqual([]);
});

for (const [width, height] of [[320, 800], [390, 844], [768, 1024], [1440, 900], [2560, 1440]]) {
  test(`at ${width} px nothing is cut, overlaps or is inaccessible`, async ({ page, calculator }) => {
    await page.setViewportSize({ width, height });
    await page.goto('./gallery/');
    for (const theme of ['light', 'dark']) {
      await page.locator(`#in-${theme}`).check();
      await calculator.shoot(`gallery-${width}-${theme}`);
      expect(await violations(page)).toEqual([]);
    }
    expect(await faults(page)).toEqual([]);
  });
}
