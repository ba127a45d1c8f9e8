// Links that outlive what a question may say.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const OLD = '#v=1&d=2026.11&model=qwen3-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=grpo&workload.sequence_length=4096'
  + '&workload.rl.prompts_per_step=512&workload.rl.max_prompt_length=1024&workload.rl.max_response_length=3072'
  + '&plan.critic.backend=fsdp&z=1';

test('an old link opens without what its question has no use for, and says what that was', async ({ page, calculator }) => {
  await calculator.open(OLD);
  const notice = page.locator('#left-out');
  await expect(notice).toContainText('Sequence length, Critic');
  await expect(page.locator('#bad-link')).toHaveCount(0);
  await expect(page.locator('#workload-rl-prompts_per_step')).toHaveValue('512');
  await expect(page.locator('.is-stale')).toHaveCount(0);
  expect(await violations(page, '#left-out')).toEqual([]);
  await expect.poll(() => page.url()).not.toContain('sequence_length');
  await notice.getByRole('button').click();
  await expect(notice).toHaveCount(0);
});

test('a link whose every part belongs opens without a word', async ({ page, calculator }) => {
  await calculator.open(OLD.replace('&workload.sequence_length=4096', '').replace('&plan.critic.backend=fsdp', ''));
  await expect(page.locator('#v-h')).toBeVisible();
  await expect(page.locator('#left-out')).toHaveCount(0);
});

test('an address that has just changed is followed, not written over', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  // As when a link is pasted into the address bar: the address is another before the event that says so. What the page
  // puts off (here by a press) must not take it back in between.
  const stood = await page.evaluate((hash) => {
    history.replaceState(null, '', hash);
    document.body.click();
    const stands = location.hash;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    return stands;
  }, OLD);
  expect(stood).toBe(OLD);
  await expect(page.locator('#left-out')).toContainText('Sequence length');
});

test('a link has the deadline and the budget that its question is held against', async ({ page, calculator }) => {
  const lora = '#v=1&model=llama-3.1-70b&hardware.gpu=gh200-96g&hardware.gpus=8&workload.kind=lora&workload.sequence_length=4096'
    + '&workload.global_batch=64&workload.tokens=2e8';
  const order = (name) => page.locator('#gpus').getByRole('button', { name, exact: true });
  await calculator.open(`${lora}&z=1`);
  await calculator.settled();
  await order('By deadline').click();
  await page.locator('#limit').fill('4');
  await page.locator('#limit-also').fill('500');
  await expect.poll(() => page.url()).toContain('&by=deadline&within_hours=4&within_usd=500&z=1');
  const link = new URL(page.url()).hash;

  // Somebody else opens it.
  const context = await page.context().browser().newContext();
  const other = await context.newPage();
  await other.goto(page.url().replace(/#.*/, link));
  await other.locator('html[data-ready="1"]').waitFor();
  await expect(other.locator('#limit')).toHaveValue('4');
  await expect(other.locator('#limit-also')).toHaveValue('500');
  await expect(other.locator('#within .take')).toContainText(/4 h and \$500/);
  await context.close();

  // What is looked for is no part of the question: a limit that nobody can read is left out, and the usual is not said.
  await page.locator('#limit-also').fill('much');
  await expect.poll(() => page.url()).toContain('&by=deadline&within_hours=4&z=1');
  await order('Fastest').click();
  await expect.poll(() => page.url()).not.toContain('by=');
  await calculator.open(`${lora}&by=nothing&within_hours=soon&z=1`);
  await expect(page.locator('#bad-link')).toHaveCount(0);
  await expect(order('Fastest')).toHaveAttribute('aria-pressed', 'true');
});
