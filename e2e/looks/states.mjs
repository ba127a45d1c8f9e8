// The states of the page, and how each is reached: what the looks tests go through.

import { expect } from '@playwright/test';

/** A 70B model on eight cards: DeepSpeed without offload does not fit. */
const UNFIT = '#v=1&model=llama-3.1-70b&hardware.gpu=h200-sxm&hardware.gpus=8&workload.kind=sft'
  + '&workload.sequence_length=4096&workload.global_batch=64&plan.backend=deepspeed&plan.tensor_parallel=1'
  + '&plan.pipeline_parallel=1&plan.context_parallel=1&plan.micro_batch=1&plan.recompute=full&z=1';

/** A plan that is more likely to fit than not, but less than asked. */
export const TIGHT = '#v=1&model=llama-3.1-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=sft&workload.sequence_length=4096'
  + '&workload.global_batch=192&plan.backend=fsdp&plan.zero_stage=3&plan.tensor_parallel=1&plan.pipeline_parallel=1'
  + '&plan.context_parallel=1&plan.micro_batch=6&plan.recompute=selective&plan.fused_lm_head=true&z=1';

/** An 8B model on one small card: no plan fits, other cards would. */
const NOTHING = '#v=1&model=qwen3-8b&hardware.gpu=a10g&hardware.gpus=1&workload.kind=grpo&workload.rl.prompts_per_step=512'
  + '&workload.rl.max_prompt_length=1024&workload.rl.max_response_length=3072&z=1';

/** Opens every `<details>` of the form or the page. */
export async function unfold(page, within = 'body') {
  await page.locator(`${within} details`).evaluateAll((all) => all.forEach((details) => { details.open = true; }));
}

/** Each with a name, the messages that it provokes on purpose, and the way there from an empty tab. */
export const STATES = [
  {
    name: 'fits',
    async reach(page, calculator) {
      await calculator.open();
      await expect(page.locator('.verdict')).toHaveClass(/is-fits/);
    },
  },
  {
    name: 'unfit',
    async reach(page, calculator) {
      await calculator.open(UNFIT);
      await expect(page.locator('.verdict')).toHaveClass(/is-no|is-unlikely/);
    },
  },
  {
    name: 'tight',
    async reach(page, calculator) {
      await calculator.open(TIGHT);
      await expect(page.locator('#sheet-ways li').first()).toBeVisible();
    },
  },
  {
    name: 'refused',
    async reach(page, calculator) {
      await calculator.open();
      await unfold(page, 'form');
      await page.locator('#hardware-gpus').fill('0');
      await page.locator('#plan-tensor_parallel').fill('3');
      await expect(page.locator('.verdict')).toHaveClass(/is-stale/);
    },
  },
  {
    name: 'nothing',
    async reach(page, calculator) {
      await calculator.open(NOTHING);
      await expect(page.locator('.closing li').first()).toBeVisible();
    },
  },
  {
    // Before the page knows its language, so in both.
    name: 'failed',
    bilingual: true,
    expected: [/ERR_FAILED|Failed to fetch|preload/],
    async reach(page, calculator) {
      await page.route('**/*.wasm', (route) => route.abort());
      await page.goto('./');
      await expect(calculator.failure).toBeVisible();
    },
  },
  {
    name: 'unfolded',
    async reach(page, calculator) {
      await calculator.open();
      await calculator.settled();
      await unfold(page);
    },
  },
  {
    name: 'embedded',
    async reach(page, calculator) {
      await calculator.open('?embed');
      await expect(page.locator('.emb-fit')).toBeVisible();
    },
  },
  {
    name: 'pasted',
    async reach(page, calculator) {
      await calculator.open();
      await page.locator('#paste-open').click();
      await page.locator('#paste-t').fill('deepspeed --num_gpus 8 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --bf16 true --max_steps $STEPS');
      await expect(page.locator('#paste .outcome .read-h, #paste .outcome .callout').first()).toBeVisible();
    },
  },
];
