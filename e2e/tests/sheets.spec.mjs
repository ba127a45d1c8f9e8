// What the worker writes beside the answer: plans to sort and compare, more GPUs, two questions, saved charts.

import { readFileSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

test.use({ unfolded: ['plans', 'sensitivity', 'scaling', 'front'] });

const number = (text) => Number(text.replaceAll(',', '').match(/-?[\d.]+/)?.[0]);
const column = async (page, label) => (await page.locator(`#plans tbody tr.p-ok td[data-l="${label}"]`).allInnerTexts()).map(number);

test('plans sort, are found, and two of them are compared', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const rows = page.locator('#plans tbody tr');
  await expect(rows).toHaveCount(12);
  await page.locator('#sort-gib').click();
  await expect(page.locator('#plans th[aria-sort=ascending]')).toHaveText(/GiB/);
  await expect(page.locator('#sort-gib')).toBeFocused();
  const gib = (await page.locator('#plans td.mem').allInnerTexts()).map(number);
  expect(gib).toEqual([...gib].sort((a, b) => a - b));
  await page.locator('#sort-speed').click();
  await expect(page.locator('#plans th[aria-sort=descending]')).toHaveCount(1);
  const speeds = await column(page, 'tokens/s per GPU');
  expect(speeds).toEqual([...speeds].sort((a, b) => b - a));

  await page.locator('#plans-find').pressSequentially('megatron pp 2');
  await expect(page.locator('#plans tbody th').first()).toContainText('PP');
  await expect.poll(async () => (await page.locator('#plans tbody th').allInnerTexts()).every((name) => /Megatron.*PP\s2\b/.test(name))).toBe(true);
  await expect(page.locator('#plans-find')).toHaveValue('megatron pp 2');
  await expect(page.locator('#plans-find')).toBeFocused();
  await page.locator('#plans-find').fill('');
  await expect(rows).toHaveCount(12);

  await page.locator('#pin-0').click();
  await page.locator('#pin-2').click();
  const both = page.locator('#plans-compared');
  await expect(both).toBeVisible();
  await expect(both.locator('thead th')).toHaveCount(2);
  await expect(both.getByRole('rowheader', { name: 'Step, s' })).toBeVisible();
  await both.getByRole('button', { name: 'Unpin both' }).click();
  await expect(both).toHaveCount(0);
  await calculator.settled();

  const [csv] = await Promise.all([page.waitForEvent('download'), page.locator('#plans').getByRole('button', { name: /CSV/ }).click()]);
  const lines = readFileSync(await csv.path(), 'utf8').trim().split('\n');
  expect(lines[0]).toContain('tokens_per_s_per_gpu');
  expect(lines.length).toBeGreaterThan(6);

  const chosen = page.locator('#plans tr.p-best th');
  const before = await chosen.innerText();
  const layouts = await page.locator('#plans tbody tr.p-ok th').allInnerTexts();
  const layout = layouts.find((own) => own !== before);
  await page.locator('#plans tbody tr.p-ok').nth(layouts.indexOf(layout)).getByRole('button', { name: /^Use/ }).click();
  await expect(chosen).toHaveText(layout);
  await calculator.back();
  await expect(chosen).toHaveText(before);
});

test('a question is put aside and compared with what is asked next', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.locator('#pin-a').click();
  const compared = page.locator('#compare');
  await expect(compared).toContainText('Change anything in the form');
  await page.locator('#hardware-gpu').selectOption('b200-sxm');
  await expect(compared.getByRole('heading', { level: 2 })).toHaveText(/^B is \d+\s% faster/);
  const row = compared.getByRole('row', { name: /^tokens\/s per GPU/ });
  await expect(row).toContainText('better');
  await compared.getByRole('button', { name: 'Swap' }).click();
  await expect(compared.getByRole('heading', { level: 2 })).toHaveText(/slower/);
  await expect(page.locator('#hardware-gpu')).toHaveValue('h100-sxm');
  await page.reload();
  await calculator.started();
  await expect(compared.getByRole('heading', { level: 2 })).toHaveText(/slower/);
  await compared.getByRole('button', { name: 'Unpin A' }).click();
  await expect(compared).toHaveCount(0);
});

test('more GPUs: a point for each number, the same in the table, and one of them is chosen', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const scaling = page.locator('#scaling');
  await expect(scaling.locator('.take')).toContainText('16 GPUs keep');
  await scaling.locator('.hit').nth(2).focus();
  await expect(scaling.locator('.tip:visible')).toContainText('100 %');
  await page.keyboard.press('ArrowRight');
  await expect(scaling.locator('.tip:visible')).toContainText('16 GPU');
  await scaling.locator('summary').click();
  await expect(scaling.locator('tbody tr')).toHaveCount(6);
  await scaling.getByRole('row', { name: /^16 / }).getByRole('button', { name: /Use/ }).click();
  await expect(page.locator('#hardware-gpus')).toHaveValue('16');
  await expect(scaling.locator('tr.is-sel th')).toHaveText('16');
  expect(await violations(page, '#scaling', '#plans')).toEqual([]);
});

test('a chart is saved as SVG, PNG and CSV', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  for (const id of ['memory', 'scaling']) {
    await calculator.unfold(id);
    await page.locator(`#${id} .data summary`).first().click();
    const save = async (name) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.locator(`#${id} .files`).getByRole('button', { name }).first().click()]);
      expect(file.suggestedFilename()).toBe(`shardwise-${id}.${name.toLowerCase()}`);
      return readFileSync(await file.path());
    };
    const svg = (await save('SVG')).toString();
    expect(svg).toMatch(/^<\?xml/);
    expect(svg).toContain(await page.locator(`#${id} h2`).innerText());
    expect(svg).not.toMatch(/class=|style=|NaN/);
    const parsed = await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror, text').length, svg);
    expect(parsed).toBeGreaterThan(5);
    const png = await save('PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.length).toBeGreaterThan(5_000);
    const csv = (await save('CSV')).toString();
    expect(csv.trim().split('\r\n').length).toBe(await page.locator(`#${id} .data table tr`).count());
    expect(csv).toMatch(/,\d+(\.\d+)?/);
  }
});

test('the flags are laid beside the script that was pasted', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#paste-open').click();
  await page.locator('#paste-t').fill('python3 -m verl.trainer.main_ppo data.train_batch_size=128 actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.logger=console');
  await page.getByRole('button', { name: 'Use it as it is' }).click();
  await expect(page.locator('#paste')).toBeHidden();
  const beside = page.locator('#flags-diff');
  await beside.locator('summary').first().click();
  await expect(beside.locator('tbody tr').first()).toBeVisible();
  await expect(beside).toContainText('Only in your script');
  await page.locator('#tab-chatlearn').click();
  await expect(beside).toHaveCount(0);
});
