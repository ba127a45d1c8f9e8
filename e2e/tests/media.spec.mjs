// The page as other media and wishes have it: paper, forced colours, more contrast, less motion.

import { expect, test } from '../fixtures.mjs';
import { faults } from '../looks/faults.mjs';
import { STATES } from '../looks/states.mjs';

const SHOWN = STATES.filter(({ name }) => ['fits', 'unfit', 'refused', 'nothing'].includes(name));

for (const { name, reach } of SHOWN) {
  for (const [lang, locale] of [['en', 'en-US'], ['zh', 'zh-CN']]) {
    test.describe(`${name}, ${lang}`, () => {
      test.use({ locale });
      test('prints as a report of two pages', async ({ page, calculator }) => {
        await reach(page, calculator);
        await calculator.settled();
        await expect(page.locator('#flags-panel code, #flags-panel .callout').first()).toBeVisible();
        const sheet = await page.pdf({ path: `e2e/screenshots/print-${name}-${lang}.pdf`, format: 'A4', printBackground: true, preferCSSPageSize: true });
        expect(sheet.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
        // Paper is light, whatever the screen is; and has no room for what only a screen can use.
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        await page.setViewportSize({ width: 703, height: 1000 });
        await calculator.settled();
        expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
        for (const hidden of ['form', '.top', '.dock', '#calibrate']) await expect(page.locator(hidden).first()).toBeHidden();
        await expect(page.locator('.verdict')).toBeVisible();
        expect(await faults(page, { lang, margin: 40 })).toEqual([]);
      });
    });
  }
}

test('the accuracy page prints, and says all', async ({ page, accuracy }) => {
  await accuracy.open();
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 703, height: 1000 });
  await accuracy.settled();
  expect(await accuracy.sideways()).toBeLessThanOrEqual(0);
});

test.describe('in forced colours', () => {
  test.use({ forcedColors: 'active' });
  for (const { name, reach } of SHOWN) {
    test(`${name}: what is chosen, wrong or drawn is still seen`, async ({ page, calculator }) => {
      await reach(page, calculator);
      await calculator.shoot(`forced-${name}`);
      const look = (selector, key) => page.locator(selector).first().evaluate((element, property) => getComputedStyle(element)[property], key);
      // What is chosen has another ground than what is not.
      for (const [chosen, other] of [['.theme input:checked + span', '.theme input:not(:checked) + span'], ['.seg-b[aria-pressed=true]', '.seg-b[aria-pressed=false]'], ['.segr input:checked + span', '.segr input:not(:checked) + span']]) {
        expect(await look(chosen, 'backgroundColor'), chosen).not.toBe(await look(other, 'backgroundColor'));
      }
      expect(await look('.tab-b[aria-selected=true]', 'borderTopColor')).not.toBe(await look('.tab-b[aria-selected=false]', 'borderTopColor'));
      // The bar of memory: used and whole.
      const [used, whole] = ['.verdict .fb .est', '.verdict .fb .bed'];
      expect(await look(used, 'fill')).not.toBe(await look(whole, 'fill'));
      expect(await faults(page)).toEqual([]);
    });
  }
});

test.describe('with more contrast', () => {
  test.use({ contrast: 'more' });
  for (const colorScheme of ['light', 'dark']) {
    test(`every text has 7:1 on its ground, ${colorScheme}`, async ({ page, calculator }) => {
      await page.emulateMedia({ colorScheme });
      await calculator.open();
      await calculator.settled();
      await calculator.shoot(`contrast-${colorScheme}`);
      const ratio = await page.evaluate(() => {
        const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const light = (colour) => {
          pen.fillStyle = colour;
          pen.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = light(getComputedStyle(document.querySelector('.ask')).backgroundColor);
        return ['.hint', '.field label', '.note', '.foot dt'].map((selector) => {
          const ink = light(getComputedStyle(document.querySelector(selector)).color);
          return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        });
      });
      for (const one of ratio) expect(one).toBeGreaterThanOrEqual(7);
    });
  }
});

test.describe('with less motion', () => {
  test.use({ reducedMotion: 'reduce' });
  test('nothing moves by itself', async ({ page, calculator }) => {
    await page.route('**/boot.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await page.goto('./');
    // What is shown after a while appears, and does not move.
    const moving = () => page.evaluate(() => document.getAnimations().filter(({ animationName }) => animationName !== 'boot-slow').length);
    expect(await moving()).toBe(0);
    await page.unroute('**/boot.js');
    await calculator.open();
    expect(await moving()).toBe(0);
    await page.locator('#paste-open').click();
    expect(await moving()).toBe(0);
    const lasting = await page.evaluate(() => [...document.querySelectorAll('*')].filter((element) => parseFloat(getComputedStyle(element).transitionDuration) > 0.01
      && getComputedStyle(element).transitionProperty !== 'none').map((element) => `${element.tagName}.${element.className}`));
    expect([...new Set(lasting)]).toEqual([]);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe('auto');
  });
});
