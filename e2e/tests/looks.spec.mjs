// Each theme at each width: nothing that axe calls serious, nothing that scrolls sideways; a screenshot of each.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '../fixtures.mjs';

for (const width of [1440, 390]) {
  for (const colorScheme of ['light', 'dark']) {
    test.describe(`${width} px, ${colorScheme}`, () => {
      test.use({ colorScheme, viewport: { width, height: width > 800 ? 900 : 844 } });

      test('is accessible and fits the window', async ({ page, calculator }) => {
        await calculator.open();
        await calculator.shoot(`start-en-${width}-${colorScheme}`);
        expect(await calculator.sideways()).toBeLessThanOrEqual(0);
        const { violations } = await new AxeBuilder({ page }).analyze();
        const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
        expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual([]);
      });
    });
  }
}

test('the message before the start is accessible too', async ({ page }) => {
  await page.route('**/boot.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  await page.goto('./');
  await expect(page.locator('#boot')).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))).toEqual([]);
});
