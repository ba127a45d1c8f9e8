// What holds of every page of text: no wider than the window, nothing for axe to say.

import { expect } from '@playwright/test';
import { violations } from './axe.mjs';

export async function looksWhole(page) {
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  }
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
}
