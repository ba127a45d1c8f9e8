// "Your run here": a log and its script become the row that the command line makes of them, and the page that leads there.

import { readFileSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { faults } from '../looks/faults.mjs';
import { PasteBox } from '../pages/paste.mjs';

const LOGS = new URL('../../core/tests/data/logs/', import.meta.url);
const NAME = 'luojiu-llama2-7b-qlora-llamafactory';
const log = readFileSync(new URL(`${NAME}.log`, LOGS), 'utf8');
const index = readFileSync(new URL('index.toml', LOGS), 'utf8');
const script = index.slice(index.indexOf(`"${NAME}"`)).match(/command = '''([^]*?)'''/)[1];
const BOTH = `==> run.sh <==\n${script}\n==> train.log <==\n${log}`;

const field = (page, key) => page.locator(`#paste-${key}`);
const says = (page, key) => page.locator(`#paste-${key}-says`);
const fold = (page) => page.locator('#your-run');

test('a log and its script become a row, once everything is given', async ({ page, calculator }) => {
  await calculator.open('#paste');
  const box = new PasteBox(page);
  await expect(box.box).toBeVisible();
  await box.text.fill(BOTH);
  await expect(fold(page).locator('summary')).toContainText('5 missing');
  await expect(box.report).toContainText('The script does not say what it ran on');
  await fold(page).locator('summary').click();
  await expect(says(page, 'address')).toContainText('https, where everybody can read it');
  await expect(fold(page)).toContainText('The script does not state these');
  await expect(page.locator('#your-run-line')).toHaveCount(0);

  // What is typed wrongly is said at its field, and nothing typed is lost.
  await field(page, 'address').fill('https://github.com/you/runs/blob/main/train.log');
  await field(page, 'date').fill('27.11.2026');
  await expect(says(page, 'address')).toContainText('What a branch holds changes');
  await expect(says(page, 'date')).toContainText('This is no day');
  await expect(field(page, 'date')).toHaveAttribute('aria-invalid', 'true');
  await expect(field(page, 'date')).toBeFocused();
  await expect(fold(page)).toHaveAttribute('open', '');
  expect(await violations(page, '#paste')).toEqual([]);

  await field(page, 'gpu').selectOption('a10');
  await field(page, 'gpus').fill('1');
  await field(page, 'address').fill('https://example.org/runs/1/trainer_log.jsonl');
  await field(page, 'date').fill('2026-11-27');
  await field(page, 'by').fill('Example Lab');
  await expect(fold(page).locator('summary')).toContainText('ready');
  await expect(fold(page)).toContainText(/Speed: measured [\d,.]+ tokens\/s per GPU, estimated/);
  await expect(box.report).toContainText('on 1 × A10');
  const line = await page.locator('#your-run-line').textContent();
  const row = JSON.parse(line);
  expect(row).toMatchObject({ id: 'example-lab-001', date: '2026-11-27', group: 'Example Lab', headline: false });
  expect(row.question.hardware).toMatchObject({ gpu: 'a10', gpus: 1 });
  expect(row.tokens_per_s_per_gpu).toBeGreaterThan(0);
  expect(line.trimEnd()).toBe(JSON.stringify(row));
  await expect(fold(page)).toContainText('core/tests/data/training.jsonl');
  expect(await violations(page, '#paste')).toEqual([]);

  const saved = page.waitForEvent('download');
  await page.locator('#your-run-save').click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('example-lab-001.jsonl');
  expect(readFileSync(await download.path(), 'utf8')).toBe(line);
});

test('without a script the question on the page is the run\'s, and needs a plan', async ({ page, calculator }) => {
  await calculator.open('#v=1&model=llama-2-7b&hardware.gpu=a10&hardware.gpus=1&workload.kind=pretrain&workload.sequence_length=1024&workload.global_batch=32&z=1');
  const box = new PasteBox(page);
  await box.paste(log);
  await fold(page).locator('summary').click();
  await expect(field(page, 'gpu')).toHaveCount(0);
  await expect(fold(page).locator('.reads')).toContainText("Paste the run's script beside its log");
});

test('it is Chinese in Chinese, as wide as a phone, in the dark', async ({ page, calculator }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await calculator.open('?lang=zh#paste');
  const box = new PasteBox(page);
  await box.text.fill(BOTH);
  await fold(page).locator('summary').click();
  await expect(fold(page).locator('summary')).toContainText('提交你的运行 还缺 5 项');
  await field(page, 'date').fill('yesterday');
  await expect(says(page, 'date')).toContainText(/[\u4e00-\u9fff]/);
  expect(await violations(page, '#paste')).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
});

test('its page leads to the box, and the accuracy page to it', async ({ page }) => {
  await page.goto('./accuracy/');
  await page.locator('#answer').getByRole('link', { name: 'Your run here' }).click();
  await expect(page).toHaveURL(/\/your-run\/$/);
  for (const [at, lang] of [['your-run/', 'en'], ['your-run/zh/', 'zh']]) {
    await page.goto(`./${at}`);
    expect(await faults(page, { lang })).toEqual([]);
  }
  await page.getByRole('link', { name: '打开输入框' }).click();
  await expect(page.locator('#paste')).toBeVisible();
  await expect(page.locator('#paste-t')).toBeFocused();
});
