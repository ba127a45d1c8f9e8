// The flags come from a worker: they follow the question, the tab and the version, and say so where they do not come.

import { expect, test } from '../fixtures.mjs';

const code = (page) => page.locator('#flags-panel pre').first();

test('the page starts without what writes flags, and fetches it after the answer', async ({ page, calculator }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').at(-1)));
  await calculator.open();
  await expect(page.locator('#v-h')).toContainText('Fits');
  await expect(code(page)).toContainText('python3 -m verl.trainer.main_ppo');
  const program = asked.findIndex((name) => /^texts-worker-[0-9a-f]{16}\.js$/.test(name));
  expect(program).toBeGreaterThan(asked.findIndex((name) => /^shardwise-app-.*\.wasm$/.test(name)));
  expect(asked.some((name) => /^texts-[0-9a-f]{16}_bg\.wasm$/.test(name))).toBe(true);
});

test('the last question wins, however fast it is typed', async ({ page, calculator }) => {
  await calculator.open();
  await expect(code(page)).toBeVisible();
  const field = page.locator('#workload-rl-prompts_per_step');
  for (const count of ['64', '128', '256', '1,024', '2,048']) await field.fill(count);
  await expect(code(page)).toContainText('data.train_batch_size=2048');
});

test('tabs are chosen by arrows, and those that run the question stand first', async ({ page, calculator }) => {
  await calculator.open();
  const tabs = page.getByRole('tab');
  const count = await tabs.count();
  // GRPO is none of DeepSpeed's own tasks.
  await expect(page.locator('.tab-off').first()).toBeVisible();
  // In the list: what is above it may not have its true height yet.
  const place = (tab) => tab.evaluate((element) =>
    (element.offsetTop - element.closest('[role=tablist]').offsetTop) * 10_000 + element.offsetLeft);
  const seen = [];
  await page.locator('#tab-verl').focus();
  for (let index = 0; index < count; index += 1) {
    const chosen = page.locator('[role=tab][aria-selected=true]');
    await expect(chosen).toBeFocused();
    await expect(page.locator('#flags-panel')).toHaveAttribute('aria-labelledby', await chosen.getAttribute('id'));
    // Every tab has a text, or says why it has none.
    await expect(page.locator('#flags-panel').locator('pre, .callout').first()).toBeVisible();
    seen.push({ off: await chosen.evaluate((tab) => tab.classList.contains('tab-off')), at: await place(chosen) });
    await page.keyboard.press('ArrowRight');
  }
  await expect(page.locator('#tab-verl')).toBeFocused();
  expect(seen.map(({ at }) => at)).toEqual(seen.map(({ at }) => at).sort((a, b) => a - b));
  expect(seen.map(({ off }) => off)).toEqual(seen.map(({ off }) => off).sort());
  await expect(page.locator('[role=tab][tabindex="0"]')).toHaveCount(1);
});

test('a framework that does not run the question says why', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.task('sft');
  await page.locator('#tab-chatlearn').click();
  await expect(page.locator('#flags-panel .callout-warn')).toContainText('ChatLearn cannot run this plan');
  await expect(page.locator('#tab-chatlearn')).toHaveClass(/tab-off/);
  await expect(page.locator('#tab-deepspeed')).not.toHaveClass(/tab-off/);
});

for (const [what, pattern] of [['file', '**/texts-worker-*.js'], ['program', '**/texts-*_bg.wasm']]) {
  test.describe(`without the worker's ${what}`, () => {
    test.use({ expected: [/Failed to load resource|net::ERR_FAILED|texts-/] });

    test('a sentence says so, and trying again helps', async ({ page, calculator, context }) => {
      await context.route(pattern, (route) => route.abort());
      await calculator.open();
      const said = page.locator('#flags-panel [role=alert]');
      await expect(said).toContainText('did not load');
      await expect(page.locator('#v-h')).toContainText('Fits');
      await page.locator('#paste-open').click();
      await page.locator('#paste-t').fill('deepspeed x');
      await expect(page.locator('#paste [role=alert]')).toContainText('did not load');
      await page.keyboard.press('Escape');
      await calculator.shoot(`flags-without-${what}`);
      await context.unroute(pattern);
      await said.getByRole('button', { name: 'Try again' }).click();
      await expect(code(page)).toContainText('verl');
      await expect(said).toHaveCount(0);
    });
  });
}
