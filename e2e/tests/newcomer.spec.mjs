// Two people who have never seen the page, and how many steps they need.

import { readFileSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';

const FAILING = `python3 -m verl.trainer.main_ppo \\
  algorithm.adv_estimator=grpo \\
  data.train_batch_size=512 data.max_prompt_length=1024 data.max_response_length=8192 \\
  actor_rollout_ref.model.path=Qwen/Qwen3-32B \\
  actor_rollout_ref.actor.strategy=fsdp2 \\
  actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=65536 \\
  actor_rollout_ref.actor.fsdp_config.param_offload=False actor_rollout_ref.actor.fsdp_config.optimizer_offload=False \\
  actor_rollout_ref.model.enable_gradient_checkpointing=False \\
  actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 \\
  actor_rollout_ref.rollout.tensor_model_parallel_size=4 actor_rollout_ref.rollout.gpu_memory_utilization=0.6 \\
  trainer.n_gpus_per_node=8 trainer.nnodes=4
`;

/** Counts what a person does, and keeps a picture of what they see after it. */
function steps(calculator, name) {
  let count = 0;
  return {
    async step(what) {
      await what();
      count += 1;
      await calculator.window(`${name}-${count}`);
    },
    get count() { return count; },
  };
}

test('from the empty page to veRL flags for GRPO on Qwen3-30B-A3B with 16 H100, in at most five steps', async ({ page, context, calculator, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(baseURL).origin });
  await calculator.open();
  const { step, ...counted } = steps(calculator, 'newcomer-flags');
  await step(() => page.locator('#model').click());
  await step(() => page.keyboard.type('qwen3 30b a3b'));
  await step(() => page.keyboard.press('Enter'));
  await step(() => page.locator('#hardware-gpus').fill('16'));
  await expect(page.locator('.verdict-q')).toContainText('GRPO of Qwen3 30B A3B on 16 × H100-SXM');
  await expect(page.locator('#v-h')).toContainText('Fits');
  // A text that is written anew has a button that says nothing of the copy before.
  await calculator.settled();
  const copy = page.locator('#flags-panel .copy').first();
  await step(() => copy.click());
  await expect(copy).toHaveClass(/btn-ok/);
  expect(counted.count ?? 5).toBeLessThanOrEqual(5);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B');
  expect(copied).toContain('trainer.n_gpus_per_node=8');
  expect(copied).toContain('trainer.nnodes=2');
  expect(copied).toContain('verl.trainer.main_ppo');
});

test('from a script that runs out of memory to one that fits, in three steps', async ({ page, calculator }) => {
  await calculator.open();
  const { step } = steps(calculator, 'newcomer-paste');
  await step(() => page.locator('#paste-open').click());
  await step(async () => {
    await page.locator('#paste-t').fill(FAILING);
    await expect(page.locator('.reada > li').first()).toContainText('Does not fit');
    await expect(page.locator('.reada > li').nth(1)).toContainText('Fits');
  });
  await step(() => page.getByRole('button', { name: /^Use with the/ }).click());
  await expect(page.locator('#v-h')).toContainText('Fits');
  // A button that is made anew between press and release hears no click.
  await calculator.settled();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#flags').getByRole('button', { name: 'Download' }).first().click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toContain('Qwen/Qwen3-32B');
});
