// Three people with a question each, from the tuning guides' own tables, and what they do wrong on the way.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../fixtures.mjs';
import { rested } from '../pages/rest.mjs';

test.use({ unfolded: ['memory', 'time'] });

const OUT = fileURLToPath(new URL('../out/page/', import.meta.url));

/** The first number of a text: `1,024 tokens` is 1024. */
const number = (text) => Number(text.replaceAll(',', '').match(/-?[\d.]+/)?.[0]);

async function figure(page, term) {
  const value = page.locator('#answer dt', { hasText: term }).locator('xpath=following-sibling::dd[1]');
  return number(await value.innerText());
}

async function preset(page, calculator, words) {
  const option = page.locator('#preset option', { hasText: words });
  await page.locator('#preset').selectOption(await option.getAttribute('value'));
  await calculator.settled();
}

/** The text of a framework's tab as Download gives it, kept for the frameworks'
 * own checks. */
async function flags(page, framework, name) {
  await page.locator(`#tab-${framework}`).click();
  await rested(page);
  await expect(page.locator('#flags-panel code').first()).not.toBeEmpty();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#flags').getByRole('button', { name: 'Download' }).first().click(),
  ]);
  const path = `${OUT}${name}`;
  await download.saveAs(path);
  return readFileSync(path, 'utf8');
}

test('LLMForge: a table that measured right and printed the cost wrong', async ({ page, calculator }) => {
  await calculator.open();
  await preset(page, calculator, 'Llama-2-7B');
  // 102.58 million tokens per hour and MFU 0.48 were measured (Llama-2-7B, 8 × A100-80G, 4096 × 4).
  const perHour = number(await page.locator('#fig-run dd').first().innerText());
  expect(Math.abs(perHour / 102.58 - 1)).toBeLessThan(0.15);
  expect(Math.abs(number(await page.locator('#fig-mfu').innerText()) / 48 - 1)).toBeLessThan(0.15);
  expect(await figure(page, 'Cost')).toBeCloseTo(40.77 / perHour, 2);
  await expect(page.getByText('It prints 0.69')).toBeVisible();
  const text = await flags(page, 'deepspeed', 'llmforge.ds_config.json');
  expect(JSON.parse(text).zero_optimization.stage).toBe(3);
  await calculator.shoot('story-llmforge');
});

test('veRL: GRPO on Qwen3-8B with eight H100', async ({ page, calculator }) => {
  await calculator.open();
  await preset(page, calculator, 'GRPO · Qwen3-8B');
  await expect(page.locator('#v-h')).toContainText('Fits');
  await page.locator('#gpus').getByRole('button', { name: /Show all/ }).click();
  const rows = page.locator('#gpus details');
  await rows.locator('summary').click();
  await expect.poll(() => rows.locator('tbody tr').count()).toBeGreaterThanOrEqual(45);
  for (const part of ['#gpus', '#memory', '#time']) {
    await expect(page.locator(`${part} svg[role=img]`).first()).toBeVisible();
  }
  const text = await flags(page, 'verl', 'qwen3-8b.verl.sh');
  expect(text).toContain('actor_rollout_ref.model.path=Qwen/Qwen3-8B');
  expect(text).toContain('python3 -m verl.trainer.main_ppo');
  await calculator.shoot('story-verl');
});

test('flags in the words of an older version', async ({ page, calculator }) => {
  await calculator.open();
  await preset(page, calculator, 'GRPO · Qwen3-8B');
  const version = page.getByLabel('Version of veRL');
  await expect(version).toHaveValue('0.9.1');
  const code = page.locator('#flags-panel pre').first();
  await expect(code).toContainText('for veRL 0.9.1');
  await version.focus();
  await version.selectOption('0.5.0');
  await expect(code).toContainText('for veRL 0.5.0');
  await expect(code).toContainText('actor_rollout_ref.actor.ulysses_sequence_parallel_size');
  await expect(version).toBeFocused();
  // A framework without that version shows its own, and one with a single version no choice.
  await page.locator('#tab-deepspeed').click();
  await expect(page.getByLabel('Version of DeepSpeed')).toHaveValue('0.19.8');
  await page.locator('#tab-chatlearn').click();
  await expect(page.locator('#flags-version')).toHaveCount(0);
  await page.locator('#tab-verl').click();
  await expect(version).toHaveValue('0.5.0');
});

test('ChatLearn: GRPO on Qwen3-30B-A3B with eight H20', async ({ page, calculator }) => {
  await calculator.open();
  await preset(page, calculator, 'Qwen3-30B-A3B · 8 × H20');
  await expect(page.locator('#v-h')).toContainText('Fits');
  const text = await flags(page, 'chatlearn', 'qwen3-30b-a3b.chatlearn.sh');
  expect(text).toContain('expert_model_parallel_size');
  await calculator.shoot('story-chatlearn');
});

test('a change shows at once, travels in the link and comes back', async ({ page, calculator }) => {
  await calculator.open();
  await preset(page, calculator, 'Llama-2-7B');
  const before = await figure(page, 'Throughput');
  await page.locator('#hardware-gpus').fill('16');
  await expect.poll(() => figure(page, 'Throughput')).not.toBe(before);
  await expect.poll(() => page.url()).toContain('hardware.gpus=16');
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await calculator.started();
  await expect(page.locator('#hardware-gpus')).toHaveValue('16');
});

const mistakes = [
  ['0 GPUs', '#hardware-gpus', '0', /at least 1/],
  ['a negative price', '#hardware-usd_per_gpu_hour', '-3', /zero or more/],
  ['a quintillion tokens', '#workload-tokens', '1e18', /1e15|10\^15|out of range/i],
  ['a third of 32 heads', '#plan-tensor_parallel', '3', /2 or 4/],
];

for (const [name, field, typed, says] of mistakes) {
  test(`${name} is refused beside the field, and the rest of the form is kept`, async ({ page, calculator }) => {
    await calculator.open();
    await preset(page, calculator, 'Llama-2-7B');
    const answer = await page.locator('#v-h').innerText();
    await page.locator('form details').evaluateAll((all) => all.forEach((details) => { details.open = true; }));
    await page.locator(field).fill(typed);
    await expect(page.locator(field)).toHaveAttribute('aria-invalid', 'true');
    const described = await page.locator(field).getAttribute('aria-describedby');
    const texts = await Promise.all(described.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()));
    expect(texts.join(' ')).toMatch(says);
    // The last valid answer stays and says which question it answers; nothing typed is lost.
    await expect(page.locator('#v-h')).toContainText(answer);
    await expect(page.locator(field)).toHaveValue(typed);
    await expect(page.locator('#workload-sequence_length')).toHaveValue(/4,?096/);
    await page.locator(field).fill('');
    await expect(page.locator(field)).not.toHaveAttribute('aria-invalid', 'true');
  });
}

test('a config.json of an encoder and one without hidden_size are refused by name, and one of an unknown decoder is read', async ({ page, calculator }) => {
  await calculator.open();
  await page.getByRole('button', { name: 'Use a config.json' }).click();
  const box = page.locator('#model-config');
  await box.fill('{"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768}');
  await expect(page.locator('form')).toContainText('this is no decoder');
  await box.fill('{"num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "intermediate_size": 11008}');
  await expect(page.locator('form')).toContainText('hidden_size');
  await expect(box).toHaveValue(/num_hidden_layers/);
  await box.fill('{"model_type": "nobody", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "intermediate_size": 11008, "rope_theta": Infinity}');
  await expect(page.locator('.is-err')).toHaveCount(0);
  await expect(page.locator('#v-h')).toContainText('Fits');
});

test('a cut link names where it was cut', async ({ page, calculator }) => {
  await calculator.open();
  await preset(page, calculator, 'Llama-2-7B');
  await expect.poll(() => page.url()).toContain('z=1');
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link.slice(0, link.indexOf('workload.sequence_length') + 10));
  await calculator.started();
  await expect(page.getByText(/Copy the whole link again/)).toBeVisible();
});
