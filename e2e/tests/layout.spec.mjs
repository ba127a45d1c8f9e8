// How the page is laid out: what it says it is, the bar that never leaves, the parts that fold.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const FOLDS = ['front', 'scaling', 'memory', 'time', 'plans', 'sensitivity', 'caveats', 'calibrate'];
const STOPS = ['verdict', 'flags', 'gpus', 'advice', 'cost', 'why'];

test('one visible sentence says what the page is', async ({ page, calculator }) => {
  await calculator.open();
  await expect(calculator.heading()).toBeVisible();
  await expect(calculator.heading()).toHaveText(/^Shardwise works out, before you rent a GPU, whether your training run fits/);
  await expect(page.locator('h1')).toHaveCount(1);
});

for (const [width, height] of [[1440, 900], [390, 844], [2560, 1300]]) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height } });

    test('the bar with the answer never leaves, and marks the part that is read', async ({ page, calculator }) => {
      await calculator.open();
      await calculator.settled();
      const dock = page.locator('.dock');
      const line = page.locator('.dock-v');
      await expect(line).toContainText(/Fits, (over )?\d+\s%.*GiB.*tokens\/s.*\$/s);
      const whole = () => dock.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
      for (const id of STOPS) {
        await page.locator(`.dock a[href="#${id}"]`).click();
        await calculator.settled();
        expect(await whole(), id).toBe(true);
        await expect(page.locator(`#${id}`), id).toBeFocused();
        await expect(page.locator(`#${id}`), id).toBeInViewport();
        const hidden = await page.locator(`#${id}`).evaluate((element) => {
          const over = document.querySelector('.dock').getBoundingClientRect();
          return over.top < 200 && element.getBoundingClientRect().top < over.bottom;
        });
        expect(hidden, id).toBe(false);
      }
      await page.evaluate(() => scrollTo(0, 0));
      await expect(dock.locator('[aria-current]')).toHaveText('Verdict');
      await page.locator('#why').evaluate((element) => element.scrollIntoView());
      if (width < 1856) await expect(dock.locator('[aria-current]')).toHaveText(/Why|Cost/);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
    });
  });
}

for (const lang of ['en', 'zh-CN']) {
  test.describe(`a phone, ${lang}`, () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('name and tools stand in one row', async ({ page, calculator }) => {
      await calculator.open(`?lang=${lang}`);
      await expect(page.locator('.share')).toBeVisible();
      const [name, tools] = await page.locator('.brand, .top-tools').evaluateAll((all) => all.map((own) => own.getBoundingClientRect().toJSON()));
      expect(name.bottom).toBeGreaterThan(tools.top);
      expect(tools.bottom).toBeGreaterThan(name.top);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
    });
  });
}

// What does not fit has the longest line: what it needs, and what there is.
const UNFIT = '#v=1&d=2026.11&model=llama-3.1-405b&hardware.gpu=h100-sxm&hardware.gpus=4&workload.global_batch=64&workload.kind=sft&workload.sequence_length=131072&z=1';

for (const width of [390, 360]) {
  for (const lang of ['en', 'zh']) {
    test(`at ${width} px, ${lang}, the bar says the whole price, and memory whole or not at all`, async ({ page, calculator }) => {
      await page.setViewportSize({ width, height: 844 });
      for (const link of ['', UNFIT]) {
        await calculator.open(`?lang=${lang}${link}`);
        await calculator.settled();
        await expect(page.locator('.dock-v b').last()).toHaveText(/[$¥]/);
        const shown = await page.locator('.dock-v').evaluate((line) => {
          const box = (element) => element.getBoundingClientRect();
          const room = box(line.querySelector('.dock-m'));
          const memory = box(line.querySelector('.dock-m > span'));
          return {
            inside: [...line.querySelectorAll(':scope > span:not(.dock-m), b')].every((own) => box(own).left >= 0 && box(own).right <= innerWidth),
            // What has no room is on the next line, which is not shown.
            // A separator ends what stands before it: where memory goes there is room behind, and none begins with a line.
            ended: [...line.children].every((own) => own.matches('.tag') || parseFloat(getComputedStyle(own).borderLeftWidth) === 0),
            whole: memory.top >= room.bottom - 1 || (memory.bottom <= room.bottom + 1 && memory.right <= room.right + 1),
          };
        });
        expect(shown, link).toEqual({ inside: true, ended: true, whole: true });
      }
    });
  }
}

test('what folds is closed at first, and nothing of it is computed', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  for (const word of FOLDS) {
    const fold = page.locator(`#fold-${word}`);
    await expect(fold, word).not.toHaveAttribute('open', /.*/);
    await expect(fold.locator('.fold-b'), word).toHaveCount(0);
    // Its line says something all the same.
    await expect(fold.locator('summary h3'), word).not.toBeEmpty();
    await expect(fold.locator('summary p'), word).not.toBeEmpty();
  }
  expect(await violations(page, '.folds')).toEqual([]);
});

test('a folded line says the answer anew as the question changes', async ({ page, calculator }) => {
  await calculator.open();
  const line = page.locator('#fold-time summary');
  // What is below the verdict comes after it.
  await expect(line).toHaveText(/\S/);
  // What is far below is not laid out, and has no innerText.
  const before = await line.textContent();
  await page.locator('#hardware-gpus').fill('16');
  await expect(line).not.toHaveText(before);
  await expect(page.locator('#fold-memory summary h3')).toHaveText(/^Why [\d.]+ GiB\?$/);
});

test('a part opens by a press, stays open at the next visit, and closes', async ({ page, calculator }) => {
  await calculator.open();
  const fold = page.locator('#fold-memory');
  await fold.locator('> summary').focus();
  await page.keyboard.press('Enter');
  await expect(fold.locator('svg[role=img]')).toBeVisible();
  await page.reload();
  await calculator.started();
  await expect(fold.locator('svg[role=img]')).toBeVisible();
  await fold.locator('> summary').click();
  await expect(fold.locator('.fold-b')).toHaveCount(0);
  await page.reload();
  await calculator.started();
  await expect(fold.locator('.fold-b')).toHaveCount(0);
});

test('all of a part open and close at once', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#why-all').click();
  await calculator.settled();
  for (const word of FOLDS.slice(2)) await expect(page.locator(`#fold-${word} .fold-b`), word).toBeVisible();
  await expect(page.locator('#fold-plans tbody tr').first()).toBeVisible();
  await expect(page.locator('#why-all')).toBeFocused();
  expect(await violations(page, '#why')).toEqual([]);
  await page.locator('#why-all').click();
  for (const word of FOLDS.slice(2)) await expect(page.locator(`#fold-${word} .fold-b`), word).toHaveCount(0);
});

test('an address opens a part and leads there', async ({ page, calculator }) => {
  await calculator.open('#sensitivity');
  await expect(page.locator('#fold-sensitivity tbody tr').first()).toBeVisible();
  await expect(page.locator('#fold-sensitivity')).toBeInViewport();
  await page.evaluate(() => { location.hash = 'time'; });
  await expect(page.locator('#fold-time svg[role=img]').first()).toBeVisible();
  await expect(page.locator('#fold-time')).toBeInViewport();
});

test('paper has the reasons open, and the screen then as it was', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  for (const word of ['memory', 'time']) await expect(page.locator(`#fold-${word} svg[role=img]`).first(), word).toBeAttached();
  await expect(page.locator('#caveats li').first()).toBeAttached();
  // The cheapest offers with their prices and days, which no worker has to write.
  await expect(page.locator('#offers-paper li')).toHaveCount(4);
  await expect(page.locator('#offers-paper li').first()).toHaveText(/\$\d+\.\d\d a GPU hour, 20\d\d-\d\d-\d\d/);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  for (const word of FOLDS) await expect(page.locator(`#fold-${word} .fold-b`), word).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('shardwise-open'))).toBeNull();
});

test('a full or forbidden storage keeps no part from opening', async ({ page, calculator }) => {
  await page.addInitScript(() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; });
  await calculator.open();
  await calculator.unfold('time');
  await expect(page.locator('#fold-time svg[role=img]').first()).toBeVisible();
});
