// The plan's parts are controls: what else each could be, chosen by keys or pointer, given back, undone.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const chip = (page, field) => page.locator(`#chip-plan-${field}`);
const panel = (page) => page.locator('#alternatives');
const rows = (page) => panel(page).locator('.alt:not(.alt-h, .alt-o)');
const checked = (page) => panel(page).locator('input[name=alternative]:checked');

test('arrows move, Enter takes and leads back to the chip, Back undoes it', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const own = chip(page, 'rollout-tensor_parallel');
  await expect(own).not.toHaveClass(/is-pinned/);
  await own.focus();
  await page.keyboard.press('Enter');
  await expect(own).toHaveAttribute('aria-expanded', 'true');
  await expect(checked(page)).toBeFocused();
  const before = await checked(page).inputValue();
  // Each says what it takes, costs and whether it fits; what stands is told in full.
  const words = await rows(page).allInnerTexts();
  expect(words.length).toBeGreaterThan(2);
  for (const row of words) expect(row).toMatch(/[+−]?[\d.,]+\s+s\b.*\$[\d.]+.*(Fits|Tight|Unlikely|not fit)/su);
  await expect(rows(page).filter({ has: page.locator('input:checked') })).toContainText('found by the search');
  expect(await violations(page, '#alternatives')).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect(checked(page)).toBeFocused();
  const after = await checked(page).inputValue();
  expect(after).not.toBe(before);
  // Nothing is chosen until it is taken.
  await expect(page.locator('#plan-rollout-tensor_parallel')).toHaveValue('');
  await page.keyboard.press('Enter');
  await expect(panel(page)).toBeHidden();
  await expect(own).toHaveClass(/is-pinned/);
  await expect(own).toContainText(`TP\u{a0}${after}`);
  await expect(own).toBeFocused();
  await expect(page.locator('#plan-rollout-tensor_parallel')).toHaveValue(after);
  await expect.poll(() => page.url()).toContain(`plan.rollout.tensor_parallel=${after}`);
  await calculator.back();
  await expect(own).not.toHaveClass(/is-pinned/);
  await expect(page.locator('#plan-rollout-tensor_parallel')).toHaveValue('');
});

test('Escape changes nothing; a pin is given back to the search', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const own = chip(page, 'recompute');
  await own.click();
  await expect(checked(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(own).toBeFocused();
  await expect(own).not.toHaveClass(/is-pinned/);
  await own.click();
  await rows(page).filter({ hasText: 'recompute full' }).click();
  await expect(own).toHaveClass(/is-pinned/);
  await expect(own).toContainText('recompute full');
  await expect(own).toBeFocused();
  await expect(page.locator('#plan-recompute')).toHaveValue('full');
  await own.click();
  await expect(rows(page).filter({ has: page.locator('input:checked') })).toContainText('set by you');
  await panel(page).getByRole('button', { name: 'Let the search choose' }).click();
  await expect(own).not.toHaveClass(/is-pinned/);
  await expect(own).toBeFocused();
  await expect(page.locator('#plan-recompute')).toHaveValue('');
});

test('P pins what is checked and leaves the panel open; in a box it is a letter', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const own = chip(page, 'rollout-tensor_parallel');
  await own.focus();
  await page.keyboard.press('Enter');
  await expect(checked(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  const value = await checked(page).inputValue();
  await page.keyboard.press('p');
  await calculator.settled();
  await expect(own).toHaveClass(/is-pinned/);
  await expect(page.locator('#plan-rollout-tensor_parallel')).toHaveValue(value);
  // The panel says it anew, with the keyboard on what is pinned.
  await expect(panel(page)).toBeVisible();
  await expect(rows(page).filter({ has: page.locator('input:checked') })).toContainText('set by you');
  await expect(checked(page)).toHaveValue(value);
  await expect(checked(page)).toBeFocused();
  expect(await violations(page, '#alternatives')).toEqual([]);
  // Arrows and P go on from there.
  await page.keyboard.press('ArrowUp');
  const other = await checked(page).inputValue();
  await page.keyboard.press('Shift+P');
  await calculator.settled();
  await expect(page.locator('#plan-rollout-tensor_parallel')).toHaveValue(other);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(own).toBeFocused();
  await expect(own).toHaveClass(/is-pinned/);

  await chip(page, 'max_tokens_per_gpu').click();
  await expect(checked(page)).toBeFocused();
  const typed = panel(page).locator('#alt-own');
  await typed.pressSequentially('p');
  await expect(typed).toHaveValue('p');
  await expect(page.locator('#plan-max_tokens_per_gpu')).toHaveValue('');
  // What cannot be pinned says why.
  await panel(page).locator('#alt-other').focus();
  await page.keyboard.press('p');
  await expect(panel(page).locator('#alt-m')).toContainText('Not a number');
  await expect(typed).toBeFocused();
});

test('a number of one’s own is read as the form reads it', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const own = chip(page, 'max_tokens_per_gpu');
  await own.click();
  await expect(checked(page)).toBeFocused();
  const typed = panel(page).locator('#alt-own');
  await typed.fill('many');
  await expect(panel(page).locator('#alt-other')).toBeChecked();
  await typed.press('Enter');
  await expect(panel(page).locator('#alt-m')).toContainText('Not a number');
  await expect(typed).toBeFocused();
  await typed.fill('10k');
  await typed.press('Enter');
  await expect(own).toContainText('10,240 tokens per GPU');
  await expect(own).toHaveClass(/is-pinned/);
  await expect(own).toBeFocused();
  await expect(page.locator('#plan-max_tokens_per_gpu')).toHaveValue('10k');
});

test('what is typed in the form is pinned in the plan', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.locator('#plan-controls').evaluate((details) => { details.open = true; });
  await page.locator('#plan-backend').selectOption('megatron');
  await expect(chip(page, 'backend')).toHaveClass(/is-pinned/);
  await expect(chip(page, 'tensor_parallel')).not.toHaveClass(/is-pinned/);
  await page.locator('#plan-tensor_parallel').fill('2');
  await expect(chip(page, 'tensor_parallel')).toHaveClass(/is-pinned/);
  await expect(page.locator('.chips').first()).toContainText('DP');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the alternatives come from below', async ({ page, calculator }) => {
    await calculator.open();
    await calculator.settled();
    await chip(page, 'rollout-gpu_memory_utilization').click();
    await expect(checked(page)).toBeFocused();
    const box = await panel(page).boundingBox();
    expect(box.x).toBe(0);
    expect(box.width).toBe(390);
    expect(Math.round(box.y + box.height)).toBe(844);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
