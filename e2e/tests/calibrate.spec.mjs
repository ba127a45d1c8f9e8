// A run of one's own: typed, compared, applied to every estimate, carried by the link, and taken back.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { VIEWS } from '../looks/views.mjs';
import { PasteBox } from '../pages/paste.mjs';

test.use({ unfolded: ['caveats', 'calibrate'] });

// Llama-2-7B as LLMForge's cookbook measured it, but for the batch: four micro-batches.
const RUN = 'v=1&d=2026.11&model=llama-2-7b&hardware.gpu=a100-sxm-80g&hardware.gpus=8&workload.kind=sft'
  + '&workload.sequence_length=4096&workload.global_batch=128&plan.backend=deepspeed&plan.zero_stage=3'
  + '&plan.micro_batch=4&plan.recompute=full&z=1';
const RL = 'v=1&d=2026.11&model=qwen3-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=grpo'
  + '&workload.rl.prompts_per_step=128&workload.rl.max_prompt_length=1024&workload.rl.max_response_length=3072'
  + '&plan.backend=fsdp&plan.micro_batch=1&z=1';

const FIELDS = { forward: '#measured-forward_s', backward: '#measured-backward_s', step: '#measured-step_time_s', peak: '#measured-peak_gib' };

const number = (text) => Number(text.replaceAll(',', '').match(/-?[\d.]+/)?.[0]);
const speed = async (page) => number(await page.locator('#fig-throughput dd').first().innerText());
const peak = async (page) => number(await page.locator('#reserved').textContent());
const result = (page) => page.locator('#cal-result');
const hash = async (page) => decodeURIComponent(await page.evaluate(() => location.hash));

async function measure(page, values) {
  for (const [name, value] of Object.entries(values)) await page.locator(FIELDS[name]).fill(value);
}

test('a run is compared, applied, carried and forgotten', async ({ page, calculator }) => {
  await calculator.open(`#${RUN}`);
  const before = await speed(page);
  const held = await peak(page);
  await expect(page.locator('#cal-apply')).toBeDisabled();
  // One pass without the other says nothing, and is no mistake.
  await measure(page, { forward: '1.6' });
  await expect(result(page)).toHaveCount(0);
  await expect(page.locator('#calibrate .msg')).toHaveCount(0);
  await measure(page, { backward: '4.7', peak: '30' });
  // 6 × 4 × 4,096 × 6.74e9 operations in 6.3 s on 312 TFLOPS.
  await expect(result(page)).toContainText('MFU 33.7 % by LLMForge');
  await expect(result(page)).toContainText('6.30 s, estimated');
  await expect(result(page)).toContainText('30.0 GiB, estimated');
  await expect(page.locator('#calibrate')).toContainText('Beside the estimate without calibration: SFT of Llama 2 7B on 8 × A100-SXM-80G');
  // Comparing changes nothing.
  expect(await speed(page)).toBe(before);
  expect(await hash(page)).not.toContain('calibration');

  const factors = (await result(page).locator('b').allInnerTexts()).map(number);
  expect(factors.length).toBe(2);
  await page.locator('#cal-apply').focus();
  await page.keyboard.press('Space');
  await expect(page.locator('#calibrated')).toContainText(`times × ${factors[0].toFixed(2)}, training's memory × ${factors[1].toFixed(2)}`);
  await expect(page.locator('#cal-apply')).toBeFocused();
  const after = await speed(page);
  expect(Math.abs(after * factors[0] / before - 1)).toBeLessThan(0.01);
  expect(await peak(page)).toBeGreaterThan(held);
  expect(await hash(page)).toMatch(/calibration\.time=[\d.]+/);
  await expect(page.locator('#fig-throughput .tag')).toHaveText('calibrated');
  await expect(page.locator('#fig-cost .tag')).toHaveText('calibrated');
  await expect(page.locator('.caveats')).toContainText('Calibrated with a run of your own');
  await expect(page.locator('#flags-panel')).toContainText('&calibration.');

  // What else is asked stands under the same factors, and the run stays compared with its own estimate.
  const compared = await result(page).innerText();
  await page.locator('#hardware-gpus').fill('16');
  await expect(page.locator('#v-h')).toBeVisible();
  await expect(page.locator('#calibrated')).toContainText(`times × ${factors[0].toFixed(2)}`);
  expect(await result(page).innerText()).toBe(compared);
  await page.locator('#hardware-gpus').fill('8');
  await expect.poll(() => speed(page)).toBe(after);

  // A reload keeps factors and what was typed; another person's page the factors alone.
  await calculator.settled();
  await page.reload();
  await calculator.settled();
  expect(await speed(page)).toBe(after);
  await expect(page.locator(FIELDS.backward)).toHaveValue('4.7');
  await expect(page.locator('#cal-apply')).toBeChecked();
  const link = await page.evaluate(() => location.hash);
  const other = await page.context().newPage();
  await other.goto(`./${link}`);
  await expect(other.locator('#calibrated')).toBeVisible();
  expect(await speed(other)).toBe(after);
  await expect(other.locator(FIELDS.backward)).toHaveValue('');
  await expect(other.locator('#cal-apply')).toBeChecked();
  await other.close();

  // Forgetting is a step that Back undoes; nothing typed is lost by either.
  await page.getByRole('button', { name: 'Forget my run' }).click();
  await expect(page.locator('#calibrated')).toHaveCount(0);
  expect(await speed(page)).toBe(before);
  expect(await hash(page)).not.toContain('calibration');
  await expect(page.locator(FIELDS.forward)).toHaveValue('1.6');
  await calculator.back();
  await expect(page.locator('#calibrated')).toBeVisible();
  expect(await speed(page)).toBe(after);
  await expect(page.locator(FIELDS.forward)).toHaveValue('1.6');
  await page.locator('#cal-apply').uncheck();
  await expect(page.locator('#calibrated')).toHaveCount(0);
  expect(await speed(page)).toBe(before);
});

test('what is typed about an applied run is followed, and a preset stands under its factors', async ({ page, calculator }) => {
  await calculator.open(`#${RUN}`);
  await measure(page, { step: '25' });
  await page.locator('#cal-apply').check();
  await expect(page.locator('#calibrated')).toBeVisible();
  await calculator.settled();
  const slow = await speed(page);
  await measure(page, { step: '50' });
  await expect.poll(async () => Math.abs(slow / (await speed(page)) / 2 - 1)).toBeLessThan(0.01);
  await measure(page, { step: '' });
  await expect(page.locator('#calibrated')).toBeVisible();
  const option = page.locator('#preset option', { hasText: 'Qwen3-8B' }).first();
  const value = await option.getAttribute('value');
  await page.locator('#preset').selectOption(value);
  await calculator.settled();
  await expect(page.locator('#preset')).toHaveValue(value);
  await expect(page.locator('#calibrated')).toBeVisible();
  await page.locator('#reset').click();
  await expect(page.locator('#calibrated')).toHaveCount(0);
});

test('what makes no sense is said beside its field', async ({ page, calculator }) => {
  await calculator.open(`#${RUN}`);
  const before = await speed(page);
  for (const [values, field, words] of [
    [{ step: 'twenty' }, 'step', 'Not a number'],
    [{ step: '1e9' }, 'step', 'out of range'],
    [{ step: '2000' }, 'step', 'more than 10 times apart'],
    [{ step: '5' }, 'step', "of the card's peak"],
    [{ step: '', forward: '2,5', backward: '5' }, 'forward', 'Use a point'],
    [{ forward: '0', backward: '5' }, 'forward', 'out of range'],
    [{ forward: '', backward: '', peak: '0.1' }, 'peak', 'more than 10 times apart'],
  ]) {
    await measure(page, values);
    const input = page.locator(FIELDS[field]);
    await expect(input).toHaveAttribute('aria-invalid', 'true');
    await expect(page.locator(`${FIELDS[field]}-m`)).toContainText(words);
    await expect(page.locator('#cal-apply')).toBeDisabled();
    await expect(result(page)).toHaveCount(0);
    // The answer is none of its business.
    await expect(page.locator('.is-stale')).toHaveCount(0);
    expect(await speed(page)).toBe(before);
  }
});

test('an RL step asks for what can be compared, in both languages', async ({ page, calculator }) => {
  await calculator.open(`#${RL}`);
  await expect(page.locator(FIELDS.forward)).toHaveCount(0);
  const before = await speed(page);
  const step = number(await page.locator('#fig-step dd').first().innerText());
  await measure(page, { step: String(step * 1.5) });
  await page.locator('#cal-apply').check();
  await expect.poll(async () => Math.abs(before / (await speed(page)) / 1.5 - 1)).toBeLessThan(0.02);
  await page.locator('[lang=zh-CN]').first().click();
  // The step was read as it is shown, which is rounded.
  await expect(page.locator('#calibrated')).toContainText(/已按你自己的训练校准：时间\s×\s1\.(49|50|51)/);
  await expect(page.locator(FIELDS.step)).not.toHaveValue('');
});

// A step of veRL's console, with every phase so many times the estimate's.
const LOG = (s) => [1, 2, 3].map((step) => `step:${step} - timing_s/gen:${s.gen} - timing_s/old_log_prob:${s.forward} - timing_s/ref:${s.forward} `
  + `- timing_s/update_actor:${s.update} - timing_s/step:${s.step} - response_length/mean:900.5 - prompt_length/mean:180.0`).join('\n');

test('a pasted log calibrates each kind of phase by one press', async ({ page, calculator }) => {
  await calculator.open(`#${RL}`);
  const box = new PasteBox(page);
  await box.paste(LOG({ gen: 80, forward: 12, update: 40, step: 150 }));
  await expect(box.report).toContainText('veRL Steps counted: 2, of 150 s each.');
  await expect(box.report).toContainText('GRPO of Qwen3 8B on 8 × H100-SXM');
  const rows = box.report.locator('table tbody tr');
  await expect(rows.last()).toContainText('150');
  await expect(rows.first()).toContainText('80.0');
  const told = await rows.evaluateAll((all) => all.map((row) => row.innerText));
  expect(await violations(page, '#paste')).toEqual([]);
  await calculator.window('calibrate-log');
  await box.use('Calibrate all estimates with this run').click();
  await expect(box.box).toBeHidden();
  await expect(page.locator('#calibrated')).toContainText('generation × ');
  await expect(page.locator('#calibrated')).toContainText('updates × ');
  // The step is the log's, lengths and all; where the plan is open, another may be as fast now.
  await expect.poll(async () => Math.abs(number(await page.locator('#fig-step dd').first().innerText()) - 150)).toBeLessThan(3);
  expect(await hash(page)).toContain('workload.rl.mean_response_length=900.5');
  expect(told.length).toBeGreaterThanOrEqual(4);
  // Another task has no phases: it follows the whole step.
  await page.locator('#cal-forget').click();
  await expect(page.locator('#calibrated')).toHaveCount(0);
});

test('a log beside its script, and one without a question that it could be of', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  const script = `python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=128 data.max_prompt_length=512 \\
    data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen3-4B actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 trainer.n_gpus_per_node=8 trainer.nnodes=1`;
  await box.paste(`==> run.sh <==\n${script}\n==> train.log <==\n${LOG({ gen: 20, forward: 4, update: 15, step: 50 })}`);
  await expect(box.report).toContainText('GRPO of Qwen3 4B on 8 × H100-SXM');
  await expect(box.use('Calibrate all estimates with this run')).toBeVisible();
  // Seconds that are a slip of the unit: said, with what is meant.
  await box.paste(LOG({ gen: 80000, forward: 4000, update: 15000, step: 150000 }));
  await expect(box.report.locator('.callout')).toContainText('more than 10 times apart');
  await expect(box.use('Calibrate all estimates with this run')).toHaveCount(0);
});

test('of a log that is too long the steps at its beginning count', async ({ page, calculator }) => {
  await calculator.open(`#${RL}`);
  const box = new PasteBox(page);
  await box.open();
  const step = LOG({ gen: 80, forward: 12, update: 40, step: 150 }).split('\n')[0];
  const steps = Array.from({ length: 8000 }, (_, at) => step.replace('step:1 ', `step:${at + 1} `)).join('\n');
  expect(steps.length).toBeGreaterThan(1_048_576);
  await page.locator('#paste-files').setInputFiles([{ name: 'train.log', mimeType: 'text/plain', buffer: Buffer.from(steps) }]);
  await expect(box.report).toContainText('train.log is longer than there is room for');
  await expect(box.report).toContainText(/veRL Steps counted: \d,\d{3}, of 150 s each\./);
  await expect(box.use('Calibrate all estimates with this run')).toBeVisible();
  await page.locator('#paste-files').setInputFiles([{ name: 'all.bin', mimeType: 'text/plain', buffer: Buffer.alloc(2_000_000, 'x') }]);
  await expect(box.report).toContainText('all.bin was left out');
});

test('a calibration is kept under a name, applied to another question, and erased', async ({ page, calculator }) => {
  await calculator.open(`#${RUN}`);
  await expect(page.locator('#cal-keep button')).toBeDisabled();
  await measure(page, { step: '26' });
  await page.locator('#cal-apply').check();
  const factor = (await page.locator('#calibrated').innerText()).match(/times\s×\s([\d.]*\d)/)[1];
  await page.locator('#cal-name').fill('Lab = <b>2</b> x 8 A100');
  await page.locator('#cal-name').press('Enter');
  await expect(page.locator('#cal-kept li')).toHaveCount(1);
  await expect(page.locator('#cal-kept')).toContainText('Lab - <b>2</b> x 8 A100');
  expect(await violations(page, '#calibrate')).toEqual([]);
  // Another visit, another question.
  await page.goto('about:blank');
  await calculator.open(`#${RL}`);
  await expect(page.locator('#calibrated')).toHaveCount(0);
  const before = await speed(page);
  await page.locator('#cal-kept').getByRole('button', { name: 'Apply' }).click();
  await expect(page.locator('#calibrated')).toContainText(factor);
  await expect.poll(async () => Math.abs(before / (await speed(page)) / Number(factor) - 1)).toBeLessThan(0.02);
  await page.locator('#cal-kept').getByRole('button', { name: 'Erase' }).click();
  await expect(page.locator('#cal-kept li')).toHaveCount(0);
  await expect(page.locator('#cal-name')).toBeFocused();
  expect(await page.evaluate(() => localStorage.getItem('shardwise-clusters'))).toBeNull();
  await calculator.window('calibrate-kept');
});

for (const { title, width, colorScheme, lang, viewport } of VIEWS) {
  test.describe(title, () => {
    test.use({ colorScheme, viewport });

    test('is accessible and fits the window', async ({ page, calculator }) => {
      await calculator.open(`?lang=${lang}#${RUN}`);
      await measure(page, { forward: '1.6', backward: '4.7', step: '26', peak: 'x' });
      const check = async () => {
        expect(await violations(page, '#calibrate', '.verdict')).toEqual([]);
        expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      };
      await check();
      await measure(page, { peak: '30' });
      await page.locator('#cal-apply').check();
      await check();
      await page.locator('#calibrate').scrollIntoViewIfNeeded();
      await calculator.window(`calibrate-${lang}-${width}-${colorScheme}`);
    });
  });
}
