// What each change of a plan is worth, and the advice with its gains: seen, tried, undone.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { VIEWS } from '../looks/views.mjs';

test.use({ unfolded: ['sensitivity'] });

/** A 70B model on eight cards: DeepSpeed without offload does not fit. */
const UNFIT = '#v=1&model=llama-3.1-70b&hardware.gpu=h200-sxm&hardware.gpus=8&workload.kind=sft'
  + '&workload.sequence_length=4096&workload.global_batch=64&plan.backend=deepspeed&plan.tensor_parallel=1'
  + '&plan.pipeline_parallel=1&plan.context_parallel=1&plan.micro_batch=1&plan.recompute=full&z=1';

test('each change says what it is worth, and can be tried', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const section = page.locator('#sensitivity');
  await expect(section.getByRole('heading', { name: 'What each change is worth' })).toBeVisible();
  await expect(page.locator('#remedy')).toHaveCount(0);
  const rows = section.locator('tbody').first().locator('tr');
  await expect(rows).toHaveCount(8);
  await section.getByRole('button', { name: /Show all/ }).click();
  await expect(rows).not.toHaveCount(8);
  const all = await rows.count();
  expect(all).toBeGreaterThan(12);
  // Best first: what fits by its tokens per second, on the same GPUs.
  const gains = await rows.evaluateAll((list) => list
    .filter((row) => !row.classList.contains('is-off') && !row.id.includes('gpus'))
    .map((row) => Number(row.querySelector('td').textContent.replaceAll(',', '').replace('−', '-'))));
  expect(gains).toEqual([...gains].sort((a, b) => b - a));
  // The last one that fits and costs speed: the plan is the best, so some do.
  const ids = await rows.evaluateAll((list) => list
    .filter((row) => !row.classList.contains('is-off') && row.querySelector('td').textContent.startsWith('−'))
    .map((row) => row.id));
  const change = page.locator(`#${ids.at(-1)}`);
  const before = page.url();
  const speed = page.locator('#answer dt', { hasText: 'Throughput' }).locator('xpath=following-sibling::dd[1]');
  const was = await speed.innerText();
  await change.getByRole('button', { name: /Try it/ }).click();
  await expect.poll(() => page.url()).not.toEqual(before);
  await expect(speed).not.toHaveText(was);
  await calculator.back();
  await expect(speed).toHaveText(was);
  await expect.poll(() => page.url()).toEqual(before);
});

test('what is computed and the machine stand apart from the plan', async ({ page, calculator }) => {
  await calculator.open();
  // Instances that nobody joins come in no other number.
  await calculator.field('Cheapest offer').selectOption('');
  await calculator.settled();
  const bodies = page.locator('#sensitivity tbody');
  await expect(bodies).toHaveCount(3);
  const heads = bodies.locator('.sens-g');
  await expect(heads).toHaveText(['What is computed changes', 'The machine changes']);
  await expect(bodies.nth(1).locator('tr[id^=change-]').first()).toContainText(/KV|16 bits|fp8/);
  await expect(bodies.nth(2).locator('tr[id^=change-]').first()).toContainText('GPUs');
  // None of them among the plan's own.
  await page.locator('#all-changes').click();
  await expect(page.locator('#all-changes')).toHaveAttribute('aria-expanded', 'true');
  const fields = await bodies.first().locator('tr').evaluateAll((rows) => rows.map(({ id }) => id));
  expect(fields.filter((id) => /gpus|kv_cache_dtype/.test(id))).toEqual([]);
});

test('a plan that does not fit is told the cheapest change that mends it', async ({ page, calculator }) => {
  await calculator.open(UNFIT);
  await calculator.settled();
  await expect(page.locator('#v-h')).not.toContainText('Fits');
  const remedy = page.locator('#remedy');
  await expect(remedy).toContainText('The cheapest way to make it fit');
  await expect(page.locator('#advice #out-of-memory')).toBeVisible();
  await calculator.shoot('sensitivity-unfit');
  await remedy.getByRole('button', { name: /Try it/ }).click();
  await expect(page.locator('#v-h')).toContainText('Fits');
  await expect(page.locator('#remedy')).toHaveCount(0);
});

test('advice has its gain first and can be followed', async ({ page, calculator }) => {
  await calculator.open(`${UNFIT.replace('&z=1', '')}&plan.offload.optimizer=true&plan.offload.parameters=true`
    + '&plan.offload.gradients=true&z=1');
  await calculator.settled();
  const items = page.locator('#advice ol > li');
  expect(await items.count()).toBeGreaterThan(0);
  const first = items.first();
  await expect(first.locator('> p').first().locator('b')).toHaveText(/[+−][\d,.]+ (tokens\/s|GiB)/);
  await expect(first.getByRole('link', { name: 'Source' })).toHaveAttribute('href', /^https:/);
  const before = page.url();
  await first.getByRole('button', { name: /Try it/ }).click();
  await expect.poll(() => page.url()).not.toEqual(before);
});

for (const { title, width, colorScheme, lang, locale, viewport } of VIEWS) {
  test.describe(title, () => {
    test.use({ colorScheme, locale, viewport });

    test('sensitivity and advice are accessible', async ({ page, calculator }) => {
      await calculator.open(UNFIT);
      await calculator.settled();
      await expect(page.locator('#sensitivity').getByText({ en: 'Try it', zh: '试一试' }[lang]).first()).toBeVisible();
      expect(await violations(page, '#sensitivity', '#advice')).toEqual([]);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      await calculator.shoot(`sensitivity-${lang}-${width}-${colorScheme}`);
    });
  });
}
