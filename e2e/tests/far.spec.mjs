// Plans that take long to find: the worker looks for them, and the page shows what it finds as if it were its own.

import { expect, test } from '../fixtures.mjs';

const LARGE = '#v=1&model=qwen3-30b-a3b&hardware.gpu=h100-sxm&hardware.gpus=64&workload.kind=grpo'
  + '&workload.rl.schedule=one_step_off&workload.rl.prompts_per_step=64&workload.rl.responses_per_prompt=8'
  + '&workload.rl.max_prompt_length=1024&workload.rl.max_response_length=4096&z=1';

const verdict = (page) => page.locator('[aria-labelledby=v-h]').innerText();
const types = (page) => page.locator('#gpus').innerText();

async function shown(page, calculator) {
  await calculator.open(LARGE);
  await expect(page.locator('[aria-labelledby=v-h]')).toContainText('Qwen3 30B A3B');
  await calculator.settled();
  // Without what the worker of texts writes.
  await page.locator('[aria-labelledby=v-h] :is(.sheet, #near)').evaluateAll((sheets) => sheets.forEach((sheet) => { sheet.hidden = true; }));
  return { verdict: await verdict(page), types: await types(page) };
}

test.describe('without the worker', () => {
  test.use({ expected: [/Failed to load resource|net::ERR_FAILED|Failed to fetch|texts-/] });

  test('the page finds the same plans itself', async ({ page, calculator, context }) => {
    const found = await shown(page, calculator);
    await context.route('**/texts-*_bg.wasm', (route) => route.abort());
    await page.reload();
    const own = await shown(page, calculator);
    expect(own).toEqual(found);
  });
});

test('the last question wins, however fast it is typed', async ({ page, calculator }) => {
  await calculator.open(LARGE);
  const field = page.locator('#hardware-gpus');
  for (const count of ['128', '256', '48', '96']) await field.fill(count);
  await calculator.settled();
  await expect(field).toHaveValue('96');
  await expect.poll(() => page.url()).toContain('hardware.gpus=96');
  await expect(page.locator('#flags-panel pre').filter({ hasText: 'trainer.n_gpus_per_node=8' }).first()).toBeVisible();
});

test('Back undoes a choice', async ({ page, calculator }) => {
  await calculator.open(LARGE);
  await calculator.settled();
  await page.locator('#hardware-gpu').selectOption('h200-sxm');
  await calculator.settled();
  expect(page.url()).toContain('hardware.gpu=h200-sxm');
  await calculator.back();
  await calculator.settled();
  expect(page.url()).toContain('hardware.gpu=h100-sxm');
  await expect(page.locator('#hardware-gpu')).toHaveValue('h100-sxm');
  await expect(page.locator('#v-h')).toContainText('Fits');
});

test('what cannot be is said, and the last answer stands', async ({ page, calculator }) => {
  await calculator.open(LARGE);
  await calculator.settled();
  const before = await verdict(page);
  await page.locator('#hardware-gpus').fill('0');
  await expect(page.locator('#hardware-gpus')).toHaveAttribute('aria-invalid', 'true');
  await page.locator('#hardware-gpus').fill('64');
  await calculator.settled();
  expect(await verdict(page)).toBe(before);
});
