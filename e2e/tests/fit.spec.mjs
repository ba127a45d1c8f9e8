// Whether it fits, as a decision under uncertainty: four states, a bar, a level of certainty and what it costs, the ways out.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { TIGHT } from '../looks/states.mjs';

const sequences = (count) => TIGHT.replace('micro_batch=6', `micro_batch=${count}`).replace('global_batch=192', `global_batch=${32 * count}`);

/** Sequences per GPU at once, the state that they come to, and how it reads in both languages. */
const FOUR = [
  [2, 'is-fits', /^Fits, (over )?9\d.% sure$/u, /^放得下，(超过 )?9\d.% 的把握$/u],
  [6, 'is-tight', /^Tight, \d\d.% sure; you asked for 95$/u, /^勉强，\d\d.% 的把握，低于你要求的 95.%$/u],
  [8, 'is-unlikely', /^Unlikely to fit, \d+.% sure$/u, /^多半放不下，\d+.% 的把握$/u],
  [20, 'is-no', /^Does not fit: [\d.]+ of [\d.]+ GiB$/u, /^放不下：[\d.]+ \/ [\d.]+ GiB$/u],
];

const bar = (page, part) => page.locator(`.verdict .fb .${part}`).evaluate((rect) => {
  const share = (name) => Number.parseFloat(rect.getAttribute(name) ?? '0');
  return { from: share('x'), to: share('x') + share('width') };
});
const level = (page, percent) => page.getByRole('radio', { name: String(percent), exact: true });
const number = (text) => Number(text.replaceAll(',', '').match(/[\d.]+/)?.[0]);
const speed = async (page) => number(await page.locator('#fig-throughput dd').first().innerText());

for (const [count, state, english, chinese] of FOUR) {
  test(`${state}: what is known is said, and drawn`, async ({ page, calculator }) => {
    await calculator.open(sequences(count));
    await expect(page.locator('.verdict')).toHaveClass(new RegExp(state));
    await expect(page.locator('#v-h')).toHaveText(english);
    await expect(page.locator('.verdict-m')).toContainText(/[\d.]+.GiB (to spare|needed|missing) in the training step/u);
    await expect(page.locator('.dock-v')).toHaveClass(new RegExp(state));
    await calculator.settled();
    const [estimate, sure] = [await bar(page, 'est'), await bar(page, 'unc')];
    const card = (await bar(page, 'card')).from;
    expect(sure.from).toBeCloseTo(estimate.to, 0);
    expect(sure.to).toBeGreaterThanOrEqual(estimate.to);
    // The tick is on the right side of both, and all of it inside.
    expect(estimate.to < card).toBe(['is-fits', 'is-tight'].includes(state));
    expect(sure.to <= card).toBe(state === 'is-fits');
    expect(Math.max(sure.to, card)).toBeLessThan(100);
    await expect(page.locator('.verdict .fb')).toHaveAttribute('aria-label', /^Estimated [\d.]+ GiB, 95.% sure below [\d.]+, usable [\d.]+\.$/u);
    // Ways out where there is less certainty than asked for.
    await expect(page.locator('#sheet-ways li')).toHaveCount(state === 'is-fits' ? 0 : 2);
    expect(await violations(page, '.verdict')).toEqual([]);
    await calculator.open(`?lang=zh-CN${sequences(count)}`);
    await expect(page.locator('#v-h')).toHaveText(chinese);
  });
}

test('a way out makes it as sure as asked', async ({ page, calculator }) => {
  await calculator.open(TIGHT);
  const ways = page.locator('#sheet-ways li');
  await expect(page.locator('#sheet-ways p').first()).toHaveText(/^Smallest changes that reach 95.%:$/u);
  await expect(ways.first()).toContainText(/(over )?9\d.% sure/u);
  await ways.first().getByRole('button', { name: 'Use it' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.verdict')).toHaveClass(/is-fits/);
  // The way is gone; the keyboard is at what it came to.
  await expect(page.locator('#v-h')).toBeFocused();
  await expect(page.locator('#sheet-ways .remedy')).toBeHidden();
  await calculator.back();
  await expect(page.locator('.verdict')).toHaveClass(/is-tight/);
});

test('how sure is chosen by arrows, stands in the address and is kept', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await expect(level(page, 95)).toBeChecked();
  // The price of more certainty stands beside it.
  await expect(page.locator('#certainty')).toHaveText(/^99 costs ([\d.,]+ s (and \$[\d.]+ a step|a step and \$[\d.,]+)|nothing more)\.$/);
  const usual = await speed(page);
  await level(page, 95).focus();
  await page.keyboard.press('ArrowRight');
  await expect(level(page, 99)).toBeChecked();
  await expect(level(page, 99)).toBeFocused();
  await expect.poll(() => page.url()).toContain('confidence=0.99');
  await expect(page.locator('.verdict .fb')).toHaveAttribute('aria-label', /99.% sure below/u);
  await calculator.settled();
  expect(await speed(page)).toBeLessThanOrEqual(usual);
  await expect(page.locator('#certainty')).toHaveText(/^95 saves/);
  // A preset is still the preset, and keeps the level.
  await expect(page.locator('#preset')).not.toHaveValue('');
  await page.getByRole('button', { name: 'Reset the form' }).click();
  await expect(level(page, 99)).toBeChecked();
  // A first visit asks as surely as the last one; a link as surely as it says.
  await page.goto('about:blank');
  await calculator.open();
  await expect(level(page, 99)).toBeChecked();
  await page.goto('about:blank');
  await calculator.open(TIGHT);
  await expect(level(page, 95)).toBeChecked();
  await page.goto('about:blank');
  await calculator.open(TIGHT.replace('&plan', '&confidence=0.8&plan'));
  await expect(level(page, 80)).toBeChecked();
  await expect(page.locator('.verdict')).toHaveClass(/is-fits/);
});

test('host memory is said where something is moved there', async ({ page, calculator }) => {
  await calculator.open(sequences(2));
  await expect(page.locator('#v-h')).toContainText('Fits');
  await expect(page.locator('#host-memory')).toHaveCount(0);
  await calculator.open(sequences(2).replace('&z=1', '&plan.offload.optimizer=true&z=1'));
  await expect(page.locator('#host-memory')).toHaveText(/^Host memory: [\d.]+ of [\d,.]+ GiB a node \(.*Optimizer [\d.]+.*\)\.$/);
});

test('an embed says the same in the same states', async ({ page, calculator }) => {
  await calculator.open(`?embed${TIGHT}`);
  await expect(page.locator('.emb-v')).toHaveClass(/is-tight/);
  await expect(page.locator('.emb-fit')).toContainText(/Tight, \d\d.% sure; you asked for 95/u);
  await expect(page.locator('.emb-v .fb .unc')).toBeVisible();
});
