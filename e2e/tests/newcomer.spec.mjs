// People who have never seen the page, and how many times they touch it until they have what they came for.
//
// What each sees after each touch is a picture with SHOTS=1.

import { readFileSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

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

// Each width, theme and language at least once; every story in the window of its person.
const WINDOWS = {
  desk: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  wide: { viewport: { width: 2560, height: 1440 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true },
};

/** Counts what a person does, and keeps a picture of what they see after it. */
function story(calculator, name) {
  const told = { count: 0 };
  told.step = async (what) => {
    await what();
    told.count += 1;
    await calculator.window(`story-${name}-${told.count}`);
  };
  return told;
}

/** A model as a person chooses one: typed, and the first of the list taken. */
async function model(page, typed) {
  await page.locator('#model').fill(typed);
  await expect(page.locator('[role=option]').first()).toBeVisible();
  await page.keyboard.press('Enter');
}

/** The text to paste, by its button. A text that is written anew has a button that says nothing of the copy before. */
async function copy(page, calculator) {
  await calculator.settled();
  const button = page.locator('#flags-panel .copy').first();
  await button.click();
  await expect(button).toHaveClass(/btn-ok/);
}

const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

test.beforeEach(async ({ context, calculator, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(baseURL).origin });
  await calculator.open();
});

for (const [where, window] of [['at a desk', WINDOWS.desk], ['on a phone', WINDOWS.phone]]) {
  test.describe(where, () => {
    test.use(window);

    test('veRL’s text for GRPO on Qwen3-30B-A3B with 16 H100, in four touches at most', async ({ page, calculator }) => {
      const told = story(calculator, `verl-${window.viewport.width}`);
      await told.step(() => model(page, 'qwen3 30b a3b'));
      await told.step(() => page.locator('#hardware-gpus').fill('16'));
      await expect(page.locator('.verdict-q')).toContainText('GRPO of Qwen3 30B A3B on 16 × H100-SXM');
      await expect(page.locator('#v-h')).toContainText('Fits');
      await told.step(() => copy(page, calculator));
      expect(told.count).toBeLessThanOrEqual(4);
      const text = await copied(page);
      expect(text).toContain('actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B');
      expect(text).toContain('trainer.n_gpus_per_node=8');
      expect(text).toContain('trainer.nnodes=2');
      expect(text).toContain('verl.trainer.main_ppo');
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    });
  });
}

test.describe('on a wide screen', () => {
  test.use(WINDOWS.wide);

  test('the cheapest LoRA of a 70B within 24 hours, in five touches: GPU type, number, hours and dollars', async ({ page, calculator }) => {
    const told = story(calculator, 'lora');
    await told.step(() => page.locator('#workload-kind').selectOption('adapters'));
    await told.step(() => model(page, 'llama 70b'));
    await told.step(() => page.locator('#workload-tokens').fill('200M'));
    await told.step(() => page.getByRole('button', { name: 'By deadline' }).click());
    await told.step(() => page.locator('#limit').fill('24'));
    await calculator.settled();
    expect(told.count).toBeLessThanOrEqual(5);
    await expect(page.locator('.verdict-q')).toContainText('LoRA of Llama 3.3 70B');
    // The number of GPUs is tried as well as the type.
    const [, gpus, hours, usd] = (await page.locator('#sheet-within').textContent()).match(/([\d,]+) × \S+.*?([\d.]+)\sh.*?\$([\d,.]+)/s);
    expect(Number(gpus)).toBeGreaterThan(0);
    expect(Number(hours)).toBeLessThanOrEqual(24);
    expect(Number(usd.replaceAll(',', ''))).toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
  });
});

test.describe('in Chinese', () => {
  test.use({ ...WINDOWS.desk, locale: 'zh-CN', colorScheme: 'dark' });

  test('ChatLearn’s text for eight H20, in four touches', async ({ page, calculator }) => {
    const told = story(calculator, 'chatlearn');
    const own = await page.locator('#framework option[value^="chatlearn"]').first().getAttribute('value');
    await told.step(() => page.locator('#framework').selectOption(own));
    await told.step(() => page.locator('#hardware-gpu').selectOption('h20'));
    await told.step(() => model(page, 'qwen3 30b a3b'));
    await calculator.settled();
    await expect(page.locator('.verdict-q')).toContainText('H20');
    await told.step(() => copy(page, calculator));
    expect(told.count).toBeLessThanOrEqual(4);
    const text = await copied(page);
    expect(text).toContain('chatlearn');
    expect(text).toMatch(/#.*\p{Script=Han}/u);
    expect(await violations(page)).toEqual([]);
  });
});

test.describe('with a script that runs out of memory', () => {
  test.use(WINDOWS.desk);

  test('to one that fits, in three touches', async ({ page, calculator }) => {
    const told = story(calculator, 'paste');
    await told.step(() => page.locator('#paste-open').click());
    await told.step(async () => {
      await page.locator('#paste-t').fill(FAILING);
      await expect(page.locator('.reada > li').first()).toContainText('Does not fit');
      await expect(page.locator('.reada > li').nth(1)).toContainText('Fits');
    });
    await told.step(() => page.getByRole('button', { name: /^Use with the/ }).click());
    expect(told.count).toBeLessThanOrEqual(3);
    await expect(page.locator('#v-h')).toContainText('Fits');
    // A button that is made anew between press and release hears no click.
    await calculator.settled();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#flags').getByRole('button', { name: 'Download' }).first().click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('Qwen/Qwen3-32B');
  });
});
