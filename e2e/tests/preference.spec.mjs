// Learning from preferences: pairs, a reference, adapters, and the texts that say it.

import { expect, test } from '../fixtures.mjs';
import { faults } from '../looks/faults.mjs';
import { violations } from '../looks/axe.mjs';

const START = '#v=1&model=qwen3-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=sft&workload.sequence_length=2048&workload.global_batch=64&z=1';

const step = (page) => page.locator('#fig-step dd').last();

test('a pair counts once, a reference takes its time, and its text is TRL\u2019s', async ({ page, calculator }) => {
  await calculator.open(START);
  await expect(calculator.field('Sequences per step')).toHaveValue('64');
  await calculator.task('dpo');
  await expect(calculator.field('Pairs per step')).toHaveValue('64');
  await expect(page.locator('#verdict')).toContainText('64 pairs of up to 2,048 tokens each a step');
  await expect(step(page)).toContainText('Reference');
  await expect(page.locator('#near')).toContainText('No published run of this task is known');
  await calculator.settled();
  await page.locator('#tab-trl').click();
  await expect(page.locator('#flags-panel')).toContainText('trl.scripts.dpo');
  await page.locator('#workload-precompute_ref_log_probs').selectOption('true');
  await expect(step(page)).not.toContainText('Reference');
  await expect(page.locator('#flags-panel')).toContainText('--precompute_ref_log_probs True');
  await calculator.task('orpo');
  await expect(page.locator('#workload-precompute_ref_log_probs')).toHaveCount(0);
  expect(await violations(page, '.ask')).toEqual([]);
});

test('adapters and a base in 4 bits are asked for where a rank is typed', async ({ page, calculator }) => {
  await calculator.open(START);
  await calculator.task('kto');
  const four = page.locator('#workload-lora-load_in_4bit');
  await expect(four).toHaveCount(0);
  await page.locator('#workload-lora-rank').fill('16');
  await four.selectOption('true');
  await expect.poll(() => page.url()).toContain('workload.lora.load_in_4bit=true');
  await expect(step(page)).toContainText('Reference');
  // What was typed stays in sight, and is refused by name where it is none.
  await page.locator('#workload-lora-rank').fill('many');
  await expect(page.locator('#workload-lora-rank-m')).toBeVisible();
  await expect(four).toHaveValue('true');
});

test.describe('in Chinese', () => {
  test('all of it is said', async ({ page, calculator }) => {
    await calculator.open(`?lang=zh${START.replace('kind=sft', 'kind=kto')}`);
    await calculator.settled();
    await expect(page.locator('#workload-kind option:checked')).toHaveText('偏好优化');
    await expect(step(page)).toContainText('参考模型');
    expect(await faults(page, { lang: 'zh' })).toEqual([]);
  });
});
