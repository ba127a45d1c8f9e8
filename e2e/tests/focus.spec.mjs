// Whatever is pressed and redraws the page leaves the keyboard on the same control, or on the heading of its section: never
// at the top of the page.

import { expect, test } from '../fixtures.mjs';

test.use({ unfolded: ['run', 'front', 'scaling', 'plans', 'sensitivity'] });

const GRPO = '#v=1&model=qwen3-30b-a3b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=grpo&workload.rl.prompts_per_step=64&workload.rl.responses_per_prompt=8&workload.rl.max_prompt_length=1024&workload.rl.max_response_length=4096&z=1';

/** Presses a control by the keyboard, rests, and says what has it then. */
async function pressed(page, calculator, control) {
  await control.scrollIntoViewIfNeeded();
  await control.focus();
  await page.keyboard.press('Enter');
  await calculator.settled();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  return page.locator(':focus');
}

test('each kind of control that the worker draws keeps the keyboard', async ({ page, calculator }) => {
  test.slow();
  await calculator.open();
  await calculator.settled();
  // Every kind of press that redraws.
  for (const kind of ['ask', 'put', 'set', 'pair'].map((does) => `data-does=${does}`)) {
    const hosts = await page.locator(`.sheet:has([${kind}])`).evaluateAll((all) => all.map((host) => host.id));
    for (const host of hosts) {
      const control = page.locator(`#${host} [${kind}]:visible`).first();
      if (!(await control.count())) continue;
      const now = await pressed(page, calculator, control);
      // In the same section, where that still is there.
      if (await page.locator(`#${host}`).count()) {
        expect(await now.evaluate((element) => element.closest('section') !== null || element.matches('h1, h2, h3')), `${kind} in ${host}`).toBe(true);
      }
    }
  }
});

test('a sorted column and a folded list keep the keyboard on their button', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  for (const id of ['sort-step', 'all-plans', 'pin-1']) {
    const control = page.locator(`#${id}`);
    await pressed(page, calculator, control);
    await expect(control).toBeFocused();
  }
  // A plan that is taken has no such button any more: the heading has the keyboard.
  await pressed(page, calculator, page.locator('#plans [data-does=ask]').first());
  await expect(page.locator('#plans-h')).toBeFocused();
});

test('files are made at the press, and their addresses outlive it', async ({ page, calculator }) => {
  await page.addInitScript(() => {
    window.revoked = [];
    const revoke = URL.revokeObjectURL.bind(URL);
    URL.revokeObjectURL = (url) => { window.revoked.push(url); revoke(url); };
  });
  await calculator.open();
  await calculator.settled();
  expect(await page.locator('[data-text]').count()).toBe(0);
  for (const [id, begins] of [['plans-csv', 'layout,per_gpu'], ['plans-json', '[{']]) {
    const control = page.locator(`#${id}`);
    await control.focus();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toBe(`shardwise-${id.replace('-', '.')}`);
    const text = await (await import('node:fs/promises')).readFile(await download.path(), 'utf8');
    expect(text.slice(0, begins.length)).toBe(begins);
    await expect(control).toBeFocused();
  }
  expect(await page.evaluate(() => window.revoked)).toEqual([]);
});

test('controls of the page itself that go leave the keyboard in their section', async ({ page, calculator }) => {
  test.slow();
  // It does not fit on this many: there are ways out.
  await calculator.open(GRPO.replace('gpus=8', 'gpus=1'));
  await calculator.settled();
  const way = page.locator('.closing button').first();
  await expect(way).toBeVisible();
  await pressed(page, calculator, way);
  await expect(page.locator('.closing button')).toHaveCount(0);
  await expect(page.locator('#answer :focus')).toHaveCount(1);

  await pressed(page, calculator, page.locator('#pin-a'));
  await page.locator('#workload-rl-prompts_per_step').fill('128');
  await calculator.settled();
  await pressed(page, calculator, page.locator('#compare-swap'));
  await expect(page.locator('#compare-swap')).toBeFocused();
  await pressed(page, calculator, page.locator('#compare-end'));
  await expect(page.locator('#compare')).toHaveCount(0);

  for (const id of ['language', 'reset']) {
    await pressed(page, calculator, page.locator(`#${id}`));
    await expect(page.locator(`#${id}`)).toBeFocused();
  }
});

test('who puts the keyboard away is left alone', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.locator('#sort-step').focus();
  await page.mouse.click(5, 400);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('t');
  await page.evaluate(() => document.getElementById('all-plans').click());
  await calculator.settled();
  expect(await page.evaluate(() => document.activeElement.tagName)).toBe('BODY');
});
