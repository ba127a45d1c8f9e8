// A thousand things that nobody would do: the page says what it cannot compute, and goes on.
//
// What is done is another thousand every time. MONKEY_SEED does the same again, MONKEY_ACTS says how many (`make test-long`
// does ten thousand).

import { expect, test } from '../fixtures.mjs';
import { act } from '../looks/monkey.mjs';

const ALL = Number(process.env.MONKEY_ACTS ?? 1_000);
const SEED = Number(process.env.MONKEY_SEED ?? Math.floor(Date.now() / 1_000));
// So many on one page: on a slow machine each takes a tenth of a second.
const ON_A_PAGE = 1_000;
const BATCH = 100;

test.describe('a monkey', () => {
  // Chromium's own brake on hundreds of addresses in a few seconds.
  test.use({ expected: [/Throttling navigation/] });

  for (let start = 0; start < ALL; start += ON_A_PAGE) {
    const end = Math.min(start + ON_A_PAGE, ALL);
    test(`does things ${start + 1} to ${end} at random, and the page still answers`, async ({ page, calculator }) => {
      test.setTimeout(1_200_000);
      console.log(`monkey: MONKEY_SEED=${SEED} MONKEY_ACTS=${ALL}`);
      await calculator.open();
      await calculator.settled();
      for (let done = start; done < end; done += BATCH) {
        const wrong = await act(page, SEED + done, BATCH);
        expect(wrong, `after ${done + BATCH} things with MONKEY_SEED=${SEED}`).toEqual([]);
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
