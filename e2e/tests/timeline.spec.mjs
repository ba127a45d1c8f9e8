// An RL step as a timeline: its bars, its schedules, and the ways to what each bar says.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

test.use({ unfolded: ['time'] });

const section = (page) => page.locator('#timeline');
const bars = (page) => section(page).locator('.hit');
const labels = (page) => bars(page).evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label')));
const tip = (page) => section(page).locator('.tip:visible');

/** Chooses a schedule above the chart, and how many GPUs train. */
async function schedule(page, name, gpus) {
  await section(page).getByRole('button', { name, exact: true }).click();
  await expect(section(page).getByRole('button', { name, exact: true })).toHaveAttribute('aria-pressed', 'true');
  if (gpus === undefined) return;
  await page.locator('form details').evaluateAll((all) => all.forEach((details) => { details.open = true; }));
  await page.locator('#workload-rl-train_gpus').fill(gpus);
}

test('every phase of the step is a bar, and the table has the same', async ({ page, calculator }) => {
  await calculator.open();
  await expect(section(page).locator('svg[role=img]')).toBeVisible();
  // The step-time table has a column for each phase.
  await page.locator('#time details summary').click();
  const phases = (await page.locator('#time thead th').allInnerTexts()).slice(1).sort();
  const named = (await labels(page)).map((label) => label.split(' · ')[0]).sort();
  expect(named).toEqual(phases);
  await expect(section(page).locator('.take')).toContainText(/Generating takes \d+\u00a0% of the step/);
  await expect(section(page).locator('rect.hatched')).toHaveCount(0);
  await section(page).locator('details summary').click();
  await expect(section(page).locator('tbody tr')).toHaveCount(phases.length);
  // One after the other: each begins where another ends.
  const times = await section(page).locator('tbody tr').evaluateAll((rows) => rows.map((row) =>
    [...row.querySelectorAll('td.n')].map((cell) => Number(cell.textContent.replaceAll(',', '')))));
  times.sort(([a], [b]) => a - b);
  times.reduce((end, [start, takes]) => {
    expect(Math.abs(start - end)).toBeLessThan(1.5);
    return start + takes;
  }, 0);
});

test('side by side, the faster side waits; split sides wait for each other', async ({ page, calculator }) => {
  await calculator.open();
  const waiting = async () => (await labels(page)).filter((label) => label.startsWith('Waiting'));
  await schedule(page, 'One step off', '4');
  await page.locator('#workload-rl-oversampling').fill('3');
  await expect(section(page).locator('.take')).toContainText(/Generation sets the pace: training waits [\d.,]+\u00a0s/);
  expect(await waiting()).toHaveLength(1);
  await expect(section(page).locator('rect.hatched')).toHaveCount(1);
  await expect(section(page).locator('svg[role=img]')).toContainText(/waits [\d.,]+\u00a0s/);
  await page.locator('#workload-rl-oversampling').fill('');
  await page.locator('#workload-rl-train_gpus').fill('2');
  await expect(section(page).locator('.take')).toContainText(/Training sets the pace: generation waits [\d.,]+\u00a0s/);
  await expect(section(page).locator('.take')).toContainText(/Training has 2 of 8 GPUs, generation 6; side by side they hide [\d.,]+\u00a0s/);
  await schedule(page, 'Split');
  await expect(section(page).locator('.take')).toContainText('while one side works, the other waits');
  // Nothing runs at once, so nothing is hidden.
  await expect(section(page).locator('.take')).toContainText('Training has 2 of 8 GPUs, generation 6.');
  await expect.poll(async () => (await waiting()).length).toBe(2);
  await schedule(page, 'Colocated');
  await expect(section(page).locator('rect.hatched')).toHaveCount(0);
  await expect(page.locator('form [aria-invalid=true]')).toHaveCount(0);
});

test('pointer and keyboard reach what a bar says', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await expect(tip(page)).toHaveCount(0);
  await bars(page).first().hover();
  await expect(tip(page)).toContainText('Decode');
  await page.mouse.move(0, 0);
  await expect(tip(page)).toHaveCount(0);
  // Tab enters at the first bar, arrows lead on, Escape puts the tip away.
  await section(page).getByRole('button', { name: 'Fully async' }).focus();
  await page.keyboard.press('Tab');
  await expect(bars(page).first()).toBeFocused();
  await expect(tip(page)).toContainText('Rollout');
  await page.keyboard.press('ArrowRight');
  await expect(bars(page).nth(1)).toBeFocused();
  await expect(tip(page)).toContainText('Old log-prob');
  await page.keyboard.press('ArrowLeft');
  await expect(bars(page).first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(tip(page)).toHaveCount(0);
});

test('a question without phases has no timeline', async ({ page, calculator }) => {
  await calculator.open();
  const option = page.locator('#preset option', { hasText: 'Llama-2-7B' });
  await page.locator('#preset').selectOption(await option.getAttribute('value'));
  await expect(section(page)).toBeHidden();
  await expect(page.locator('#time svg[role=img]')).toBeVisible();
});

for (const [width, colorScheme, locale, title] of [
  [1440, 'light', 'en-US', 'One step over time'],
  [390, 'dark', 'zh-CN', '一步的时间线'],
  [320, 'light', 'en-US', 'One step over time'],
]) {
  test.describe(`${width} px, ${colorScheme}, ${locale}`, () => {
    test.use({ colorScheme, locale, viewport: { width, height: 844 } });

    test('is accessible and fits the window, its tips too', async ({ page, calculator }) => {
      await calculator.open();
      // Drawn where it comes near.
      await page.locator('#fold-time').scrollIntoViewIfNeeded();
      await calculator.settled();
      await section(page).locator('.seg-b').nth(2).click();
      await calculator.settled();
      await expect(section(page).getByRole('heading')).toHaveText(title);
      expect(await violations(page, '#timeline')).toEqual([]);
      // Where the pointer rests, no bar may come to lie.
      await page.mouse.move(0, 0);
      for (const bar of await bars(page).all()) {
        await bar.focus();
        const { x, width: wide } = await tip(page).boundingBox();
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + wide).toBeLessThanOrEqual(width);
        expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      }
      await page.keyboard.press('Escape');
      await calculator.shoot(`timeline-${locale}-${width}-${colorScheme}`);
    });
  });
}
