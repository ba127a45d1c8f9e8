// Textbook layouts beside the plan: what a guide, a recipe and the framework's default would have, and where the seconds go.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { faults } from '../looks/faults.mjs';

const open = (page) => page.locator('#whynot-open');
const panel = (page) => page.locator('#whynot');
const rows = (page) => panel(page).locator('.tab-wn tbody tr');
const uses = (page) => panel(page).locator('.tab-wn button');

test('the keyboard opens it, each layout says what it takes and where, Escape leads back', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const hash = new URL(page.url()).hash;
  await open(page).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#whynot-in')).toBeFocused();
  await expect(uses(page).first()).toBeVisible();
  const words = await rows(page).allInnerTexts();
  expect(words.length).toBeGreaterThanOrEqual(3);
  expect(words.length).toBeLessThanOrEqual(4);
  expect(words[0]).toContain('found by the search');
  for (const row of words.slice(1)) expect(row).toMatch(/(guide|paper|recipe|default)[\s\S]*[\d.]+\s+[+−][\d.]+[\s\S]*\$[\d.,]+/u);
  // Each leads to where it is written down, and names where the seconds go.
  for (const link of await panel(page).locator('.tab-wn a').all()) expect(await link.getAttribute('href')).toMatch(/^https:\/\//u);
  await expect(panel(page).locator('.tab-wn .why').nth(1)).toContainText(/[+−][\d.]+\s+s/u);
  // The plan stands in full beside them, part by part.
  await panel(page).locator('summary').click();
  const whole = panel(page).locator('#whynot-parts tbody tr').last();
  await expect(whole).toContainText('A step');
  const numbers = (await rows(page).locator('td.n').first().innerText()).match(/[\d.,]+/u)[0];
  await expect(whole.locator('td').first()).toHaveText(numbers);
  expect(await violations(page, '#whynot')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(open(page)).toBeFocused();
  expect(new URL(page.url()).hash).toBe(hash);
});

test('a layout that is used is pinned, the headline follows, and Back undoes it', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const pinned = page.locator('.chip.is-pinned');
  await expect(pinned).toHaveCount(0);
  const headline = page.locator('#verdict .figs');
  const before = await headline.innerText();
  await open(page).click();
  await uses(page).last().click();
  await expect(panel(page)).toBeHidden();
  await expect(pinned.first()).toBeVisible();
  await calculator.settled();
  await expect.poll(() => headline.innerText()).not.toBe(before);
  expect(page.url()).toContain('plan.');
  await expect(open(page)).toBeFocused();
  // What was used is the plan now, and no layout beside itself.
  await open(page).click();
  await expect(rows(page).first()).toContainText('yours, the rest found by the search');
  await page.keyboard.press('Escape');
  await calculator.back();
  await expect(pinned).toHaveCount(0);
});

test.describe('in Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('it is all said in Chinese', async ({ page, calculator }) => {
    await calculator.open();
    await calculator.settled();
    await open(page).click();
    await expect(uses(page).first()).toHaveText(/^采用/u);
    await expect(panel(page)).toContainText(/指南|默认值/u);
    await panel(page).locator('summary').click();
    expect(await faults(page)).toEqual([]);
  });
});

for (const colorScheme of ['light', 'dark']) {
  test.describe(`on a phone, ${colorScheme}`, () => {
    test.use({ viewport: { width: 390, height: 844 }, colorScheme });

    test('the layouts are cards, and nothing is cut', async ({ page, calculator }) => {
      await calculator.open();
      await calculator.settled();
      await open(page).click();
      await expect(uses(page).first()).toBeVisible();
      await panel(page).locator('summary').click();
      const box = await panel(page).boundingBox();
      expect([box.x, box.width]).toEqual([0, 390]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      expect(await faults(page)).toEqual([]);
      expect(await violations(page, '#whynot')).toEqual([]);
    });
  });
}
