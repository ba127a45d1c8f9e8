// The flags come from a worker: they follow the question, the tab and the version, and say so where they do not come.

import { expect, test } from '../fixtures.mjs';

const code = (page) => page.locator('#flags-panel pre').first();

test('what a visit does not need it does not fetch, and the rest after the answer', async ({ page, calculator }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').at(-1)));
  await calculator.open();
  await expect(page.locator('#v-h')).toContainText('Fits');
  await expect(code(page)).toContainText('python3 -m verl.trainer.main_ppo');
  const place = (pattern) => asked.findIndex((name) => pattern.test(name));
  const [engine, texts] = [place(/^engine-[0-9a-f]{16}_bg\.wasm$/), place(/^texts-[0-9a-f]{16}_bg\.wasm$/)];
  expect(engine).toBeGreaterThan(-1);
  expect(texts).toBeGreaterThan(engine);
  await calculator.settled();
  const times = (part) => asked.filter((name) => name.startsWith(`${part}-`)).length;
  expect([times('opened'), times('chinese')]).toEqual([0, 0]);
  await calculator.unfold('plans');
  await expect(page.locator('#plans table').first()).toBeVisible();
  expect([times('opened'), times('chinese')]).toEqual([1, 0]);
  await page.locator('#language').click();
  await expect(code(page)).toContainText('提示词');
  expect(times('chinese')).toBe(1);
});

test('a Chinese visit has the sentences of the core at once', async ({ page, calculator }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').at(-1)));
  await calculator.open('?lang=zh-CN');
  await expect(code(page)).toContainText('提示词');
  expect(asked.filter((name) => name.startsWith('chinese-'))).toHaveLength(1);
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

test('a clipboard that refuses after the text has gone is no trouble', async ({ page, calculator }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => new Promise((_, reject) => { window.refuse = reject; });
  });
  await calculator.open();
  await page.locator('#flags-panel .copy').first().click();
  await page.locator('#flags').getByRole('tab', { name: 'DeepSpeed' }).click();
  await calculator.settled();
  await page.evaluate(() => window.refuse(new DOMException('no', 'NotAllowedError')));
  await page.locator('#hardware-gpus').fill('16');
  await expect(page.locator('.verdict-q')).toContainText('16 ×');
});

test('the first lines are shown, all are copied, saved and printed', async ({ page, calculator, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await calculator.open();
  await expect(page.locator('#flags-h')).toHaveText('Paste into veRL\u{a0}0.9.1');
  const lines = page.locator('#code-0 > .ln');
  await expect(lines.filter({ visible: true })).toHaveCount(13);
  const all = await lines.count();
  const more = page.locator('#code-more-0');
  await expect(more).toHaveText(`Show all ${all} lines`);
  await expect(more).toHaveAttribute('aria-expanded', 'false');
  await page.locator('#flags-panel .copy').first().click();
  await expect(page.locator('#flags-panel .copy').first()).toContainText('Copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trimEnd().split('\n')).toHaveLength(all);
  await page.emulateMedia({ media: 'print' });
  await expect(lines.filter({ visible: true })).toHaveCount(all);
  await page.emulateMedia({ media: 'screen' });
  await more.focus();
  await page.keyboard.press('Enter');
  await expect(more).toBeFocused();
  await expect(more).toHaveText('Show fewer');
  await expect(lines.filter({ visible: true })).toHaveCount(all);
  // It stays so in the other language.
  await page.locator('#language').click();
  await expect(page.locator('#flags-h')).toHaveText('粘贴到 veRL\u{a0}0.9.1');
  await expect(more).toHaveAttribute('aria-expanded', 'true');
});

test('what a change does to the text is marked, and a first text or another framework is none', async ({ page, calculator }) => {
  await calculator.open();
  await expect(code(page)).toBeVisible();
  const stands = page.locator('#flags[data-stands]');
  await expect(stands).toHaveCount(1);
  const marks = page.locator('#code-0 .ln-new');
  await expect(page.locator('#changed-0')).toHaveCount(0);
  await page.locator('#workload-rl-max_response_length').fill('4096');
  await expect(code(page)).toContainText('data.max_response_length=4096');
  const changed = page.locator('#changed-0');
  await expect(changed).toContainText(/lines? changed/);
  const own = marks.filter({ hasText: 'data.max_response_length' });
  await expect(own).toContainText('Changed:');
  const folded = await marks.filter({ visible: false }).count();
  expect(folded).toBeGreaterThan(0);
  await expect(changed).toContainText(`${folded} of them below`);
  await page.locator('#code-more-0').click();
  await expect(changed).not.toContainText('below');
  expect(await own.evaluate((line) => getComputedStyle(line, '::before').content)).toContain('+');
  await changed.locator('summary').click();
  await expect(changed.locator('.d-out').filter({ hasText: 'data.max_response_length=' })).toBeVisible();
  await expect(changed.locator('.d-in').filter({ hasText: 'data.max_response_length=4096' })).toBeVisible();
  // Another change is compared with the text that stood before it.
  await expect(stands).toHaveCount(1);
  await page.locator('#workload-rl-responses_per_prompt').fill('32');
  await expect(code(page)).toContainText('actor_rollout_ref.rollout.n=32');
  await expect(marks.filter({ hasText: 'data.max_response_length' })).toHaveCount(0);
  await expect(marks.filter({ hasText: 'rollout.n=32' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Clear marks' }).click();
  await expect(changed).toHaveCount(0);
  await expect(marks).toHaveCount(0);
  await expect(page.locator('#code-copy-0')).toBeFocused();
  await page.locator('#tab-openrlhf').click();
  await expect(code(page)).toContainText('openrlhf');
  await expect(page.locator('.ln-new')).toHaveCount(0);
});

test('A and B are compared in the words of the chosen framework', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#pin-a').click();
  await page.locator('#workload-rl-prompts_per_step').fill('256');
  const text = page.locator('#compare-text');
  await expect(text.getByRole('heading')).toContainText('In the text for veRL');
  await expect(text.locator('.d-in').filter({ hasText: 'data.train_batch_size=256' })).toBeVisible();
  await expect(text.locator('.d-out').filter({ hasText: 'data.train_batch_size=' })).toBeVisible();
  await page.locator('#tab-openrlhf').click();
  await expect(text.getByRole('heading')).toContainText('In the text for OpenRLHF');
});

for (const [what, pattern] of [['file', '**/worker-*.js'], ['program', '**/texts-*_bg.wasm']]) {
  test.describe(`without the worker's ${what}`, () => {
    test.use({ expected: [/Failed to load resource|net::ERR_FAILED|Failed to fetch|texts-/] });

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

test.describe('without the Chinese sentences', () => {
  test.use({ expected: [/Failed to load resource|net::ERR_FAILED|Failed to fetch|chinese-/] });

  test('no English stands in their place, and trying again helps', async ({ page, calculator, context }) => {
    await context.route('**/chinese-*_bg.wasm', (route) => route.abort());
    await calculator.open('?lang=zh-CN');
    const said = page.locator('#flags-panel [role=alert]');
    await expect(said).toContainText('未能加载');
    await expect(code(page)).toHaveCount(0);
    await context.unroute('**/chinese-*_bg.wasm');
    await said.getByRole('button').click();
    await expect(code(page)).toContainText('提示词');
    await expect(said).toHaveCount(0);
  });
});
