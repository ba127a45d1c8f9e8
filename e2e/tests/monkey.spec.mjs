// Ten thousand things that nobody would do: the page says what it cannot compute, and goes on.

import { expect, test } from '../fixtures.mjs';
import { act } from '../looks/monkey.mjs';

const ALL = Number(process.env.MONKEY_ACTS ?? 10_000);
// So many on one page: on a slow machine each takes a tenth of a second.
const ON_A_PAGE = 1_000;
const BATCH = 100;

test.describe('a monkey', () => {
  // Chromium's own brake on hundreds of addresses in a few seconds.
  test.use({ expected: [/Throttling navigation/] });

  for (let start = 0; start < ALL; start += ON_A_PAGE) {
    const end = Math.min(start + ON_A_PAGE, ALL);
    test(`does things ${start + 1} to ${end} at random, and the page still answers`, async ({ page, calculator }) => {
      test.setTimeout(600_000);
      await calculator.open();
      await calculator.settled();
      for (let done = start; done < end; done += BATCH) {
        const wrong = await act(page, 20_260_000 + done, BATCH);
        expect(wrong, `after ${done + BATCH} things`).toEqual([]);
      }
      await page.keyboard.press('Escape');
      await page.goto('about:blank');
      await calculator.open();
      await calculator.settled();
      const gpus = page.locator('#hardware-gpus');
      await page.locator('#reset').click();
      await expect(page.locator('form [aria-invalid=true]')).toHaveCount(0);
      await gpus.fill('16');
      await expect(page.locator('.verdict-q')).toContainText('16 ×');
    });
  }
});
