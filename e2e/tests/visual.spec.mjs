// The looks of the page, beside pictures of record (e2e/visual/). A change of looks on purpose is recorded: make visual.
//
// Every picture is drawn in fonts-noto-cjk, which scripts/setup installs, so that machines agree; charts measure by a
// table of their own. A few pixels may differ, since Chromium's versions draw edges differently.

import { expect, test } from '../fixtures.mjs';
import { drawIn } from '../looks/fonts.mjs';
import { layOut } from '../looks/laid.mjs';
import { STATES } from '../looks/states.mjs';

const HEIGHTS = { 390: 844, 768: 1024, 1440: 900, 2560: 1440 };

// Each state, width, theme and language with each other at least once, in as few pictures as that takes.
const PICTURES = [
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

for (const [name, width, colorScheme, lang] of PICTURES) {
  const { reach, expected = [] } = STATES.find((state) => state.name === name);
  test.describe(`${name}, ${width} px, ${colorScheme}, ${lang}`, () => {
    // Half the size where the picture would be the largest: it is about the layout.
    test.use({ colorScheme, locale: locale(lang), expected, viewport: { width, height: HEIGHTS[width] }, deviceScaleFactor: width > 2000 ? 0.5 : 1 });
    test('looks as recorded', async ({ page, calculator }) => {
      await reach(page, calculator);
      await calculator.settled();
      await page.evaluate(() => {
        document.activeElement?.blur();
        document.querySelector('.ask-in')?.scrollTo({ top: 0, behavior: 'instant' });
        // In one column the question comes first; what is refused is there, all else is below.
        const start = innerWidth < 1088 && document.querySelector('.verdict:not(.is-stale)');
        window.scrollTo({ top: start ? start.getBoundingClientRect().top + scrollY - 64 : 0, behavior: 'instant' });
      });
      // The flags hold the server's address.
      await expect(page).toHaveScreenshot(`${name}-${width}-${colorScheme}-${lang}.png`, { mask: [page.locator('#flags-panel')], maskColor: '#888888' });
    });
  });
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
