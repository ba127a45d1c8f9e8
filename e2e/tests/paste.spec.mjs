// A script goes in; what it asks, what would help it, and the way into the form come out. What is pasted stays text.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { VIEWS } from '../looks/views.mjs';
import { PasteBox } from '../pages/paste.mjs';

// Megatron without recomputation or offload, and more tokens at once than the card holds.
const TOO_BIG = `set -x
MODEL=Qwen/Qwen3-8B
python3 -m verl.trainer.main_ppo --config-path=config --config-name=ppo_megatron_trainer.yaml \\
    algorithm.adv_estimator=grpo \\
    data.train_batch_size=512 \\
    data.max_prompt_length=1024 \\
    data.max_response_length=8192 \\
    actor_rollout_ref.model.path=$MODEL \\
    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=1 \\
    actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=1 \\
    actor_rollout_ref.actor.use_dynamic_bsz=True \\
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=65536 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=128 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.5 \\
    actor_rollout_ref.rollout.n=16 \\
    trainer.n_gpus_per_node=8 \\
    trainer.nnodes=1 \\
    trainer.no_such_key=1
`;

const DS_CONFIG = `{
  "train_batch_size": 64,
  "train_micro_batch_size_per_gpu": 2,
  "bf16": { "enabled": true },
  "zero_optimization": { "stage": 3 }
}
`;

test('a veRL script that does not fit is read, mended and loaded', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  // The address follows the question once the page rests.
  await expect.poll(() => page.url()).toContain('z=1');
  const before = page.url();
  await box.paste(TOO_BIG);
  await expect(box.report).toContainText('veRL');
  await expect(box.report).toContainText('GRPO of Qwen3 8B on 8 × H100-SXM');
  await expect(box.report).toContainText('trainer.no_such_key');
  await expect(box.rows.nth(0)).toContainText('Does not fit');
  await expect(box.rows.nth(1)).toContainText('Fits');
  await expect(box.changes.last()).toContainText('Fits');
  expect(await box.changes.count()).toBeLessThanOrEqual(3);
  await expect(box.diff.locator('.d-out').first()).toContainText('-');
  await expect(box.diff.locator('.d-in').first()).toContainText('+');
  const promise = page.waitForEvent('download');
  await box.box.getByRole('button', { name: 'Download' }).click();
  expect((await promise).suggestedFilename()).toBe('shardwise.diff');

  const figure = await box.rows.nth(1).locator('p').nth(2).locator('b').innerText();
  await box.use(/Use with the/).click();
  await expect(box.box).toBeHidden();
  await expect(box.opener).toBeFocused();
  await expect(page.locator('#v-h')).toContainText('Fits');
  await expect(page.locator('#fig-throughput')).toContainText(figure);
  await expect(page.locator('#workload-rl-max_response_length')).toHaveValue('8,192');
  await calculator.shoot('story-paste');

  // Back undoes it; the text stays in the box.
  await calculator.back();
  await expect.poll(() => page.url()).toBe(before);
  await box.open();
  await expect(box.text).toHaveValue(TOO_BIG);
  await box.use('Use it as it is').click();
  await expect(page.locator('#v-h')).toContainText('Does not fit');
});

test('a ds_config.json and its launch line are one run', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  await box.open();
  await page.locator('#paste-files').setInputFiles([
    { name: 'ds_config.json', mimeType: 'application/json', buffer: Buffer.from(DS_CONFIG) },
    { name: 'run.sh', mimeType: 'text/x-sh', buffer: Buffer.from('deepspeed --num_gpus 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --model_max_length 4096 --deepspeed ds_config.json\n') },
  ]);
  await expect(box.text).toHaveValue(/==> run\.sh <==/);
  await expect(box.report).toContainText('DeepSpeed');
  await expect(box.report).toContainText('Llama-3.1-8B');
  await box.use('Use it as it is').click();
  await expect(page.locator('#plan-zero_stage')).toHaveValue('3');
  await expect(page.locator('#workload-global_batch')).toHaveValue('64');
});

test('a script that is taken over is of its framework until all are compared, and Back undoes both', async ({ page, calculator }) => {
  await calculator.open();
  await expect.poll(() => page.url()).toContain('z=1');
  const before = page.url();
  const box = new PasteBox(page);
  await box.paste('model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nstage: sft\nfinetuning_type: lora\nlora_rank: 16\ncutoff_len: 4096\nper_device_train_batch_size: 4\nbf16: true\n');
  await box.use('Use it as it is').click();
  const use = page.locator('#framework');
  await expect(use).toHaveValue(/^llamafactory /);
  await expect(page.locator('#plan-framework')).toContainText('LLaMA-Factory');
  await expect(page.locator('[role=tab][aria-selected=true]')).toHaveText('LLaMA-Factory');
  await page.locator('#framework-only').getByRole('button', { name: 'Compare all' }).click();
  await expect(use).toHaveValue('');
  await expect(page.locator('#framework-taken')).toBeVisible();
  await calculator.back();
  await expect(use).toHaveValue(/^llamafactory /);
  await calculator.back();
  await expect.poll(() => page.url()).toBe(before);
});

test('a script takes nothing from the question that is shown, and says what it assumed', async ({ page, calculator }) => {
  // Another GPU type, other lengths, a price of one's own.
  await calculator.open('#v=1&model=qwen3-8b&hardware.gpu=h20&hardware.gpus=32&hardware.usd_per_gpu_hour=9&workload.kind=grpo&workload.rl.prompts_per_step=64&workload.rl.responses_per_prompt=4&workload.rl.max_prompt_length=512&workload.rl.max_response_length=2048&workload.rl.mean_response_length=777&z=1');
  const box = new PasteBox(page);
  await box.paste(TOO_BIG);
  const assumed = page.locator('#read-decisive');
  await expect(assumed.locator('li').filter({ hasText: 'H100-SXM' })).toContainText('does not name the GPU');
  await expect(assumed.locator('li').filter({ hasText: 'Mean response' })).toContainText('4,096');
  await expect(assumed).not.toContainText('777');
  // Right behind the verdict.
  expect(await assumed.evaluate((element) => element.previousElementSibling.className)).toBe('reada');
  await box.use('Use it as it is').click();
  await expect(page.locator('#hardware-gpu')).toHaveValue('h100-sxm');
  await expect(page.locator('#workload-rl-mean_response_length')).toHaveValue('');
  // A few settings without their command change what is shown, and say so.
  await page.locator('#hardware-gpu').selectOption('h20');
  await box.paste('actor_rollout_ref.rollout.n=4');
  await expect(box.report).toContainText('they change the question that the page shows');
  await expect(box.report).toContainText('8 × H20');
});

const hostile = [
  ['what is no script', 'lorem ipsum dolor sit amet', /no command and no settings of veRL/],
  ['markup', '<img src=x onerror="document.title=1"><script>document.title=2</script><style>*{display:none}</style>', null],
  ['an unfinished JSON', '{\n  "zero_optimization": {\n    "stage": 3,\n', /Line \d/],
  ["a terminal's commands", 'python3 -m verl.trainer.main_ppo \u001b[2J\u001b]0;x\u0007 data.train_batch_size=8\u001b[31m \u202eactor_rollout_ref.model.path=<b>x</b>\u200b', null],
  ['a megabyte', `python3 -m verl.trainer.main_ppo ${'a.b.c=1 '.repeat(120_000)}`, null],
  ['more than a megabyte', 'x'.repeat(1_100_000), /longer than 1 MiB/],
];

for (const [name, text, says] of hostile) {
  test(`${name} stays text`, async ({ page, calculator }) => {
    await calculator.open();
    const title = await page.title();
    const elements = await page.evaluate(() => document.querySelectorAll('script, style, img, iframe, object').length);
    const box = new PasteBox(page);
    await box.paste(text);
    if (says) await expect(box.report).toContainText(says);
    expect(await box.report.innerText()).not.toMatch(/[\u001b\u0007\u202e\u200b]/);
    expect(await page.title()).toBe(title);
    expect(await page.evaluate(() => document.querySelectorAll('script, style, img, iframe, object').length)).toBe(elements);
    await expect(box.report.locator('b b, span b b, a')).toHaveCount(0);
  });
}

test('what is typed is read again, and an error goes once it is mended', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  await box.paste('{ "zero_optimization": { "stage": 3 ');
  await expect(box.report.locator('.callout-bad')).toBeVisible();
  await box.text.fill(DS_CONFIG);
  await expect(box.report.locator('.callout-bad')).toHaveCount(0);
  await expect(box.report).toContainText('DeepSpeed');
  // Nothing in it names a model, and the one that is shown is not taken for it.
  await expect(box.report).toContainText('which the text does not state');
  await box.box.getByRole('button', { name: 'Clear' }).click();
  await expect(box.text).toBeFocused();
  await expect(box.report).toHaveText('');
});

test('a configuration without a model is used, and the form asks for the model', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  await box.paste(DS_CONFIG);
  await box.use('Use it as it is').click();
  await expect(box.box).toBeHidden();
  await expect(page.locator('#model')).toHaveValue('');
  await page.locator('#model').fill('qwen3-8b');
  await page.locator('#model').press('Enter');
  await expect(page.locator('#plan-zero_stage')).toHaveValue('3');
  await expect(page.locator('#v-h')).toContainText(/sure|fit/);
  await expect(page.locator('.stale')).toHaveCount(0);
});

const TRACEBACK = `  File "/verl/workers/fsdp_workers.py", line 782, in update_actor
  File "/verl/utils/torch_functional.py", line 148, in entropy_from_logits
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 13.91 GiB. GPU 0 has a total capacity of 79.11 GiB of which 8.85 GiB is free.
`;

test('a traceback is told where memory ran out and what helps', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  await box.paste(TRACEBACK);
  await expect(box.report).toContainText("veRL: A GPU's memory ran out.");
  await expect(box.report).toContainText('Phase: update actor.');
  await expect(box.report).toContainText('Memory for: logits.');
  await expect(box.report).toContainText('What helps, the least costly first');
  await expect(box.report).toContainText('use_fused_kernels=True');
  await expect(box.report).toContainText('torch.OutOfMemoryError');
  expect(await violations(page, '#paste')).toEqual([]);
});

test('a script of an older release is rewritten for the newest', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  await box.paste(`${TOO_BIG.trim()} \\
    reward_model.reward_manager=naive
`);
  const fold = box.report.locator('details', { hasText: 'For veRL 0.9.1' });
  await fold.locator('summary').first().click();
  await expect(fold).toContainText('+    reward.reward_manager.name=naive');
});

test('the keyboard alone opens, closes and comes back', async ({ page, calculator }) => {
  await calculator.open();
  const box = new PasteBox(page);
  await box.opener.focus();
  await page.keyboard.press('Enter');
  await expect(box.text).toBeFocused();
  await page.keyboard.type('x');
  await page.keyboard.press('Escape');
  await expect(box.box).toBeHidden();
  await expect(box.opener).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(box.text).toHaveValue('x');
});

for (const { title, width, colorScheme, lang, viewport } of VIEWS) {
  test.describe(title, () => {
    test.use({ colorScheme, viewport });

    test('the box is accessible and fits the window', async ({ page, calculator }) => {
      await calculator.open(`?lang=${lang}`);
      const box = new PasteBox(page);
      await box.paste(TOO_BIG);
      await calculator.settled();
      expect(await box.box.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      expect(await violations(page, '#paste')).toEqual([]);
      await calculator.window(`paste-${lang}-${width}-${colorScheme}`);
    });
  });
}
