// Coming back and passing on: recent questions, sharing, shortcuts, a report.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { VIEWS } from '../looks/views.mjs';

const RECENT = 'shardwise-recent';

test('a question that was left is found again, and erased', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#hardware-gpus').fill('16');
  await page.locator('#preset').selectOption('llmforge-llama-2-7b');
  await page.locator('#hardware-gpus').fill('32');
  await page.locator('#reset').click();
  // The list that a question starts from has them, newest first.
  const recents = page.locator('#preset option[value^="recent "]');
  await expect(recents).toHaveCount(2);
  await expect(recents.first()).toContainText('SFT of Llama 2 7B on 32 × A100-SXM-80G');
  await page.locator('#preset').selectOption(await recents.first().getAttribute('value'));
  await expect(page.locator('#hardware-gpus')).toHaveValue('32');
  await calculator.back();
  await expect(page.locator('#hardware-gpus')).toHaveValue('8');
  await page.locator('#preset').selectOption('erase');
  await expect(page.locator('#preset')).toHaveValue(/^verl/);
  const list = page.locator('#recent li');
  await expect(list).toHaveCount(2);
  await expect(list.nth(0)).toContainText('SFT of Llama 2 7B on 32 × A100-SXM-80G');
  await expect(list.nth(0)).toContainText(/20\d\d-\d\d-\d\d/);
  expect(await violations(page, '#recent')).toEqual([]);
  await calculator.window('recent');
  await list.nth(1).getByRole('button').first().click();
  await expect(page.locator('#recent')).toBeHidden();
  await expect(page.locator('#hardware-gpus')).toHaveValue('16');
  // Back undoes it.
  await calculator.back();
  await expect(page.locator('#hardware-gpus')).toHaveValue('8');
  await page.reload();
  await calculator.started();
  await page.locator('#preset').selectOption('erase');
  await list.nth(0).getByRole('button', { name: /Erase/ }).click();
  await expect(list).toHaveCount(1);
  await page.locator('#recent-erase').click();
  await expect(page.locator('#recent')).toContainText('None yet');
  expect(await page.evaluate((key) => localStorage.getItem(key), RECENT)).toBeNull();
});

test('a hostile storage shows nothing of itself', async ({ page, calculator }) => {
  await page.addInitScript((key) => {
    const good = '2026-11-21 v=1&d=2026.11&model=qwen3-8b&hardware.gpu=h20&workload.kind=sft&workload.sequence_length=4096&workload.global_batch=64&z=1';
    const refused = good.replace('qwen3-8b', '%3Cimg%20src=x%20onerror=alert(1)%3E');
    localStorage.setItem(key, ['<img src=x onerror=alert(1)>', '2026-11-21 javascript:alert(1)', refused, good, '\u0000'].join('\n'));
  }, RECENT);
  await calculator.open();
  await page.locator('#preset').selectOption('erase');
  await expect(page.locator('#recent li')).toHaveCount(1);
  await expect(page.locator('#recent img')).toHaveCount(0);
  await expect(page.locator('#recent')).not.toContainText('onerror');
});

test('the answer is passed on in one line', async ({ page, calculator, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => {
    navigator.share = async (data) => { window.shared = data; };
  });
  await calculator.open();
  await page.locator('#share-open').click();
  const text = page.locator('#share-text');
  await expect(text).toHaveText(/^GRPO of Qwen3 8B on 8 × H100-SXM: [\d,]+ tokens\/s per GPU, \$[\d.]+\/Mtok\. Fits, (over )?\d+\u{a0}% sure – http.*z=1$/u);
  expect(await violations(page, '#share')).toEqual([]);
  await calculator.window('share');
  await page.locator('#share .copy').first().click();
  await expect(page.locator('#share .copy').first()).toContainText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await text.innerText());
  await page.locator('#share-system').click();
  const shared = await page.evaluate(() => window.shared);
  expect(shared.url).toContain('z=1');
  expect(shared.text).toContain('GRPO of Qwen3 8B');
});

test('one key each, never while something is typed, and not at all when switched off', async ({ page, calculator, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await calculator.open();
  await page.keyboard.press('/');
  await expect(page.locator('#model')).toBeFocused();
  await page.keyboard.type('g/t?');
  await expect(page.locator('#model')).toHaveValue('g/t?');
  await expect(page.locator('#keys')).toBeHidden();
  await page.locator('#reset').click();
  await page.keyboard.press('g');
  await expect(page.locator('#hardware-gpu')).toBeFocused();
  await page.locator('#language').focus();
  await page.keyboard.press('t');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.keyboard.press('f');
  await expect(page.locator('#flags')).toBeFocused();
  await page.keyboard.press('c');
  await expect(page.locator('#copy-link')).toContainText('Link copied');
  await page.keyboard.press('l');
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await page.keyboard.press('l');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.keyboard.press('Control+g');
  await expect(page.locator('#hardware-gpu')).not.toBeFocused();
  await page.keyboard.press('?');
  await expect(page.locator('#keys')).toBeVisible();
  expect(await violations(page, '#keys')).toEqual([]);
  await calculator.window('keys');
  await page.locator('#keys-on').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('t');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.reload();
  await calculator.started();
  await page.keyboard.press('?');
  await expect(page.locator('#keys')).toBeHidden();
  await page.locator('#keys-open').click();
  await expect(page.locator('#keys-on')).not.toBeChecked();
});

test('the text to paste is one key away, and five Tabs from the answer', async ({ page, calculator, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await calculator.open();
  await expect(page.locator('#flags-panel pre').first()).toContainText('python3 -m verl');
  await page.keyboard.press('y');
  const said = page.locator('#flags-said');
  await expect(said).toContainText('Copied');
  await expect(said).toHaveRole('status');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('python3 -m verl.trainer.main_ppo');
  await expect(said).toBeHidden();
  // Several files in one, as the paste box takes them.
  await calculator.task('sft');
  await page.locator('#tab-deepspeed').click();
  await expect(page.locator('#code-1')).toBeVisible();
  await page.keyboard.press('Tab');
  await page.locator('#language').focus();
  await page.keyboard.press('y');
  await expect(said).toContainText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^==> ds_config.*<==\n\{[^]*\n==> .* <==\n/);
  await page.locator('#tab-verl').click();
  await page.evaluate(() => { document.getElementById('answer').tabIndex = -1; document.getElementById('answer').focus(); });
  let tabs = 0;
  const step = async () => { await page.keyboard.press('Tab'); tabs += 1; };
  await step();
  await expect(page.locator('#skip-flags')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('#flags')).toBeFocused();
  while (tabs < 5 && !(await page.locator('#code-copy-0').evaluate((button) => button === document.activeElement))) await step();
  await expect(page.locator('#code-copy-0')).toBeFocused();
});

test('a report holds the link, the figures and the versions', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#report summary').click();
  const text = page.locator('#report-text');
  for (const words of [/Question: GRPO of Qwen3 8B/, /Link: http\S+z=1/, /Shown: Fits.*tokens\/s per GPU \([\d,]+–[\d,]+\)/, /build \d+\.\d+\.\d+(\+[0-9a-f]{12}\S*)?, data 20/]) {
    await expect(text).toContainText(words);
  }
  expect(await violations(page, '#report')).toEqual([]);
});

for (const { title, width, colorScheme, lang, viewport } of [
  ...VIEWS,
  { title: '320 px, light, zh', width: 320, colorScheme: 'light', lang: 'zh', viewport: { width: 320, height: 800 } },
  { title: '320 px, dark, en', width: 320, colorScheme: 'dark', lang: 'en', viewport: { width: 320, height: 800 } },
]) {
  test.describe(title, () => {
    test.use({ colorScheme, viewport });

    test('panels fit the window', async ({ page, calculator }) => {
      await calculator.open(`?lang=${lang}`);
      await calculator.settled();
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      for (const id of ['share', 'keys']) {
        await page.locator(`#${id}-open`).click();
        await expect(page.locator(`#${id}`)).toBeVisible();
        await calculator.window(`comfort-${id}-${lang}-${width}-${colorScheme}`);
        expect(await violations(page, `#${id}`)).toEqual([]);
        await page.keyboard.press('Escape');
      }
    });
  });
}
