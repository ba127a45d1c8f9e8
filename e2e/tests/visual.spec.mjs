// The looks of the page's parts, beside pictures of record (e2e/visual/). A change of looks on purpose is recorded: make visual.
//
// Every picture is drawn in fonts-noto-cjk, which scripts/setup installs, so that machines agree; charts measure by a
// table of their own. A few pixels may differ, since Chromium's versions draw edges differently.

import { expect, test } from '../fixtures.mjs';
import { drawIn } from '../looks/fonts.mjs';
import { layOut } from '../looks/laid.mjs';
import { STATES } from '../looks/states.mjs';

const HEIGHTS = { 390: 844, 768: 1024, 1440: 900, 2560: 1440 };

// What a picture is of, in each state: parts of the page, by name.
const PARTS = {
  bar: 'header.top',
  question: '.ask-in',
  dock: 'nav.dock',
  verdict: '#verdict',
  text: '#flags',
  charts: '#gpus',
  advice: '#advice',
  folds: '.folds',
  footer: 'footer',
  failure: '#boot-failed',
};
const SHOWN = {
  fits: ['bar', 'question', 'dock', 'verdict', 'text', 'charts', 'advice', 'folds', 'footer'],
  unfit: ['dock', 'verdict', 'charts'],
  refused: ['question', 'verdict'],
  nothing: ['dock', 'verdict', 'text', 'charts'],
  failed: ['failure'],
};

// Each state, width, theme and language with each other at least once, in as few visits as that takes.
const VISITS = [
  ['fits', 390, 'light', 'en'], ['fits', 768, 'dark', 'en'], ['fits', 1440, 'dark', 'zh'], ['fits', 2560, 'light', 'zh'],
  ['unfit', 390, 'dark', 'zh'], ['unfit', 768, 'light', 'zh'], ['unfit', 1440, 'light', 'en'], ['unfit', 2560, 'dark', 'en'],
  ['refused', 390, 'dark', 'zh'], ['refused', 768, 'light', 'en'], ['refused', 1440, 'light', 'en'], ['refused', 2560, 'dark', 'zh'],
  ['nothing', 390, 'light', 'zh'], ['nothing', 768, 'dark', 'en'], ['nothing', 1440, 'dark', 'en'], ['nothing', 2560, 'light', 'zh'],
  ['failed', 390, 'dark', 'en'], ['failed', 768, 'light', 'en'], ['failed', 1440, 'dark', 'en'], ['failed', 2560, 'light', 'en'],
];

const locale = (lang) => (lang === 'zh' ? 'zh-CN' : 'en-US');

test.beforeEach(async ({ page }) => {
  await drawIn(page, 'Noto Sans CJK SC', 'Noto Sans Mono CJK SC');
});

// Every other one, and in the long run all of them.
const visits = VISITS.filter((_, place) => process.env.LONG || (place + Math.floor(place / 4)) % 2 === 0);

for (const [name, width, colorScheme, lang] of visits) {
  const { reach, expected = [] } = STATES.find((state) => state.name === name);
  test.describe(`${name}, ${width} px, ${colorScheme}, ${lang}`, () => {
    // Half the size where the pictures would be the largest: they are about the layout.
    test.use({ colorScheme, locale: locale(lang), expected, viewport: { width, height: HEIGHTS[width] }, deviceScaleFactor: width > 2000 ? 0.5 : 1 });
    test('looks as recorded', async ({ page, calculator }) => {
      await reach(page, calculator);
      await calculator.settled();
      await layOut(page);
      await page.evaluate(() => document.activeElement?.blur());
      for (const part of SHOWN[name]) {
        const element = page.locator(PARTS[part]);
        await element.evaluate(alone);
        // Bars are as long as figures are large (the gallery has some of record), and the text to paste holds the server's address.
        const mask = [element.locator('.plot, pre')];
        await expect(element).toHaveScreenshot([`${name}-${width}-${colorScheme}-${lang}`, `${part}.png`], { mask, maskColor: '#888888', maxDiffPixelRatio: 0.005 });
      }
    });
  });
}

/** In the page: gives every number of a part the same digits, since what the estimates say is for other tests, leaves out the commit, and hides what floats over it. */
function alone(element) {
  element.querySelector('.foot-commit')?.remove();
  for (const other of document.querySelectorAll('.dock, .skip')) other.style.visibility = element.contains(other) ? 'visible' : 'hidden';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) node.data = node.data.replace(/\d+(?:[.,]\d+)*/g, '000');
}

for (const [width, colorScheme] of [[1440, 'light'], [1440, 'dark']]) {
  test.describe(`the gallery, ${width} px, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height: HEIGHTS[width] } });
    test('looks as recorded', async ({ page }) => {
      await page.goto('./gallery/');
      await layOut(page);
      await expect(page).toHaveScreenshot(`gallery-${width}-${colorScheme}.png`, { fullPage: true });
    });
  });
}
