// The framework comes first: one plan, which it runs, in verdict, comparison and text; another's tab says what a switch costs.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const SFT = '#v=1&model=llama-3.1-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=sft&workload.sequence_length=4096&workload.global_batch=64&z=1';

const use = (page) => page.locator('#framework');
const tab = (page, id) => page.locator(`#tab-${id}`);
const speed = async (page) => (await page.locator('#fig-throughput dd').first().innerText()).trim();

test('it is the first field, and decides plan, link and text', async ({ page, calculator }) => {
  await calculator.open(SFT);
  await calculator.settled();
  await expect(page.getByLabel('I use')).toHaveValue('');
  // Left open, the framework that the best plan is one for is named, and its text is open.
  const taken = (await page.locator('#framework-taken').innerText()).match(/^The best plan is one for (.+)\.$/)[1];
  await expect(page.locator('#plan-framework')).toHaveText(taken);
  await expect(page.locator('[role=tab][aria-selected=true]')).toContainText(taken.split('\u{a0}')[0]);
  const first = await page.locator('form.ask :is(select, input)').first().getAttribute('id');
  expect(first).toBe('framework');
  await use(page).selectOption('deepspeed 0.19.8');
  await expect.poll(() => page.url()).toContain('framework=deepspeed');
  expect(page.url()).not.toContain('framework_version');
  await expect(page.locator('#plan-framework')).toHaveText('DeepSpeed\u{a0}0.19.8');
  await expect(page.locator('#framework-taken')).toHaveCount(0);
  await expect(tab(page, 'deepspeed')).toHaveAttribute('aria-selected', 'true');
  await calculator.settled();
  await expect(page.locator('#flags-panel pre').first()).toBeVisible();
  // The text is of the plan above: nothing to switch.
  await expect(page.locator('#switch')).toHaveCount(0);
  await expect(page.locator('#gpus tr.is-sel td').last()).toBeAttached();
  expect(await violations(page, '.ask')).toEqual([]);
  await calculator.back();
  await expect(use(page)).toHaveValue('');
});

test('an older version is chosen, linked and printed', async ({ page, calculator }) => {
  await calculator.open(SFT);
  await use(page).selectOption('deepspeed 0.16.9');
  await expect.poll(() => page.url()).toContain('framework_version=0.16.9');
  await expect(page.locator('#flags-version')).toHaveValue('0.16.9');
  await calculator.settled();
  await expect(page.locator('#flags-panel')).toContainText('For DeepSpeed 0.16.9');
});

test('another framework says what a switch costs, and prints its own plan', async ({ page, calculator }) => {
  await calculator.open(SFT.replace('&z=1', '&framework=deepspeed&z=1'));
  await calculator.settled();
  const before = await speed(page);
  await tab(page, 'megatron-lm').click();
  const said = page.locator('#switch');
  await expect(said).toHaveText(/^Megatron-LM is (\d+.% (slower|faster)|as fast) here (than|as) the plan above(, within 1.%)?: [\d,]+ tokens\/s per GPU\.$/u);
  await expect(page.locator('#flags-panel pre').first()).toContainText('--');
  // The verdict stays what was asked.
  expect(await speed(page)).toBe(before);
  // Asked for itself it is as fast as its tab said.
  const promised = (await said.innerText()).match(/([\d,]+) tokens/)[1];
  await use(page).selectOption({ index: await use(page).locator('option').evaluateAll((all) => all.findIndex(({ value }) => value.startsWith('megatron-lm '))) });
  await expect(page.locator('#fig-throughput dd').first()).toContainText(promised);
  await expect(page.locator('#switch')).toHaveCount(0);
});

test('a framework that cannot run the task says so at the field, and an unknown one stays visible', async ({ page, calculator }) => {
  await calculator.open(SFT.replace('&z=1', '&framework=no-such&z=1'));
  await expect(page.locator('#framework-m')).toContainText('no-such');
  await expect(use(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(use(page)).toHaveValue('no-such');
  await use(page).selectOption('');
  await expect(page.locator('#framework-m')).toHaveCount(0);
});

test('an embed begins with it too', async ({ page, calculator }) => {
  await calculator.open(`?embed${SFT.replace('&z=1', '&framework=deepspeed&z=1')}`);
  await expect(use(page)).toHaveValue(/^deepspeed /);
  await expect(page.locator('.emb-q :is(select, input)').first()).toHaveAttribute('id', 'framework');
});
