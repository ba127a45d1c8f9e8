// The question: the model is looked for, a file is taken, a GPU is described, and nothing typed is lost.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { VIEWS } from '../looks/views.mjs';

test.use({ unfolded: ['caveats'] });

const CONFIG = JSON.stringify({
  architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 2048, intermediate_size: 8192, num_hidden_layers: 16,
  num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128256, tie_word_embeddings: true, torch_dtype: 'bfloat16',
});

const model = (page) => page.locator('#model');
const options = (page) => page.locator('#model-list').getByRole('option');

/** Drops a file on an element. */
async function drop(page, selector, name, text) {
  const data = await page.evaluateHandle(([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: 'application/json' }));
    return data;
  }, [name, text]);
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: data });
  await page.dispatchEvent(selector, 'drop', { dataTransfer: data });
}

test('a model is found by words in any order, by keyboard alone', async ({ page, calculator }) => {
  await calculator.open();
  await model(page).focus();
  await expect(model(page)).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowDown');
  await expect(model(page)).toHaveAttribute('aria-expanded', 'true');
  // All there are, from the form's own on, and no more than forty of them drawn.
  await expect(options(page)).toHaveCount(40);
  await expect(options(page).first()).toContainText('Qwen3 8B');
  await expect(page.locator('.models > .hint')).toContainText(/40 of [1-9]\d\d/);
  await page.keyboard.press('End');
  await expect(options(page).nth(39)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await expect(options(page).nth(39)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(options(page)).toHaveCount(0);
  await expect(model(page)).toHaveValue('Qwen3 8B');

  await model(page).fill('30b qwen');
  await expect(options(page).first()).toContainText(/Qwen3 30B A3B\s*30\.5\sB, 3\.\d+\sB active\s*MoE · Apache-2\.0 · Qwen\/Qwen3-30B-A3B/);
  const marked = await model(page).getAttribute('aria-activedescendant');
  await expect(page.locator(`#${marked}`)).toContainText('Qwen3 30B A3B');
  expect(await violations(page, '.models')).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect(options(page).nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(model(page)).toHaveValue('Qwen3 30B A3B');
  await expect(model(page)).toBeFocused();
  await expect(options(page)).toHaveCount(0);
  await expect(page.locator('#model-d')).toContainText('30.5');
  await calculator.back();
  await expect(model(page)).toHaveValue('Qwen3 8B');
});

test('by pointer, by kind and licence; and free text stays', async ({ page, calculator }) => {
  await calculator.open();
  await model(page).click();
  await model(page).fill('vision moe');
  await options(page).filter({ hasText: 'Qwen3 VL 235B' }).click();
  await expect(model(page)).toHaveValue(/Qwen3 VL 235B/);
  await model(page).fill('gemma licence');
  await expect(options(page)).toHaveCount(0);
  await expect(page.locator('.models')).toContainText('config.json');
  await model(page).fill('meta-llama/Llama-3.1-8B-Instruct');
  await page.keyboard.press('Tab');
  await expect(model(page)).toHaveValue('meta-llama/Llama-3.1-8B-Instruct');
  await expect(page.locator('.verdict-q')).toContainText('Llama 3.1 8B');
  // An address of the hub is the model that stands there.
  await model(page).fill('https://huggingface.co/Qwen/Qwen3-14B');
  await page.keyboard.press('Escape');
  await expect(page.locator('.verdict-q')).toContainText('Qwen3 14B');
});

test('a config.json is dropped, chosen or pasted, and an address says what to do', async ({ page, calculator }) => {
  await calculator.open();
  await drop(page, '#model', 'config.json', CONFIG);
  await expect(page.locator('#model-config')).toHaveValue(CONFIG);
  await expect(page.locator('#model-d')).toContainText('1.24');
  await page.locator('#use-config').click();
  await expect(page.locator('#model-config')).toHaveCount(0);
  // A whole file in the field of the name is the file.
  await model(page).fill(CONFIG);
  await expect(page.locator('#model-config')).toHaveValue(CONFIG);
  await page.locator('#config-file').setInputFiles({ name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(CONFIG.replace('2048', '4096')) });
  await expect(page.locator('#model-config')).toHaveValue(/4096/);
  for (const text of ['https://huggingface.co/me/own/blob/main/config.json', 'https://huggingface.co/me/own/raw/main/config.json']) {
    await page.locator('#model-config').fill(text);
    await expect(page.locator('#model-config-m')).toContainText('nothing is fetched here');
  }
  await page.locator('#model-config').fill(CONFIG.replace('"hidden_size":2048,', ''));
  await expect(page.locator('#model-config-m')).toContainText('hidden_size');
  await page.locator('#config-file').setInputFiles({ name: 'weights.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(60_000) });
  await expect(page.locator('.ask .callout-bad')).toContainText('weights.bin was left out');
});

test('a GPU of one’s own starts as the one before it and travels in the link', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#hardware-gpu').selectOption('custom');
  await expect(page.locator('#hardware-gpu-base')).toHaveValue('h100-sxm');
  const memory = page.locator('#hardware-gpu-memory_gib');
  await expect(memory).toHaveAttribute('placeholder', /79/);
  const before = await page.locator('.verdict-m').innerText();
  await memory.fill('120');
  await expect(page.locator('.verdict-m')).not.toHaveText(before);
  expect(await violations(page, '.ask')).toEqual([]);
  await calculator.window('own-gpu');
  await expect.poll(() => page.url()).toContain('hardware.gpu.memory_gib=120');
  await memory.fill('0.5');
  await expect(page.locator('#hardware-gpu-memory_gib-m')).toBeVisible();
  await memory.fill('120');
  await page.reload();
  await calculator.started();
  await expect(page.locator('#hardware-gpu')).toHaveValue('custom');
  await expect(memory).toHaveValue('120');
  // From nothing, it says which figures it needs.
  await page.locator('#hardware-gpu-base').selectOption('');
  await expect(page.locator('#hardware-gpu-bf16_dense_tflops-m')).toContainText('bf16, TFLOPS: ');
  await page.locator('#hardware-gpu-base').selectOption('h20');
  await expect(page.locator('.is-stale')).toHaveCount(0);
  await calculator.back();
  await expect(page.locator('#hardware-gpu-base')).toHaveValue('h100-sxm');
  // By its figures alone it is like a card of the catalog, by name, unless its architecture is stated.
  await page.locator('#hardware-gpu-base').selectOption('');
  await page.locator('#hardware-gpu-bf16_dense_tflops').fill('989');
  await page.locator('#hardware-gpu-hbm_gb_per_s').fill('3350');
  const architecture = page.locator('#hardware-gpu-architecture');
  await expect(architecture).toContainText('auto: Hopper');
  await expect(page.locator('#caveats')).toContainText('taken to be like NVIDIA H100 SXM');
  await architecture.selectOption('Ampere');
  await expect.poll(() => page.url()).toContain('hardware.gpu.architecture=Ampere');
  await expect(page.locator('#caveats')).not.toContainText('taken to be like');
});

test('nodes are counted as people say them, and a price goes back to the catalog', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#hardware-gpus').fill('2x8');
  await expect(page.getByText('2 nodes × 8, 400 Gbit/s')).toBeVisible();
  await expect(page.locator('.verdict-q')).toContainText('16 × H100');
  const price = page.locator('#hardware-usd_per_gpu_hour');
  await expect(page.locator('#catalog-price')).toHaveCount(0);
  await price.fill('1.5');
  await expect(page.locator('#fig-cost')).toContainText('$1.50');
  await page.locator('#catalog-price').click();
  await expect(price).toHaveValue('');
  await expect(page.locator('#fig-cost')).not.toContainText('$1.50');
  await calculator.back();
  await expect(price).toHaveValue('1.5');
});

test('every preset answers, by the source that it is listed under', async ({ page, calculator }) => {
  await calculator.open();
  const groups = await page.locator('#preset optgroup').evaluateAll((all) => all.map((group) => [group.label, group.children.length]));
  expect(groups.length).toBeGreaterThanOrEqual(8);
  expect(groups.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(14);
  const ids = await page.locator('#preset option[value]:not([value=""])').evaluateAll((all) => all.map((option) => option.value));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    await page.locator('#preset').selectOption(id);
    await expect(page.locator('#preset')).toHaveValue(id);
    await expect(page.locator('.is-stale, .is-err')).toHaveCount(0);
    await expect(page.locator('.preset-note a')).toHaveAttribute('href', /^https:\/\//);
  }
});

test('nothing typed is lost: another task, another language, a reload, the other page', async ({ page, calculator }) => {
  await calculator.open();
  const response = page.locator('#workload-rl-max_response_length');
  await response.fill('8k');
  await page.locator('#hardware-gpus').fill('two');
  await calculator.task('sft');
  await page.locator('#workload-sequence_length').fill('plenty');
  await calculator.task('grpo');
  await expect(response).toHaveValue('8k');
  await page.locator('#language').click();
  await expect(response).toHaveValue('8k');
  await expect(page.locator('#hardware-gpus')).toHaveValue('two');
  await page.locator('#language').click();
  await page.reload();
  await calculator.started();
  await expect(page.locator('#hardware-gpus')).toHaveValue('two');
  await expect(response).toHaveValue('8k');
  await page.getByRole('link', { name: 'Accuracy', exact: true }).click();
  await expect(page).toHaveURL(/accuracy/);
  await page.goBack();
  await calculator.started();
  await expect(page.locator('#hardware-gpus')).toHaveValue('two');
  await calculator.task('sft');
  await expect(page.locator('#workload-sequence_length')).toHaveValue('plenty');
});

test('Back undoes each choice', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#hardware-gpu').selectOption('h20');
  await calculator.task('sft');
  await page.locator('#preset').selectOption('litgpt-qlora-llama-2-13b');
  await expect(page.locator('#hardware-gpus')).toHaveValue('1');
  await calculator.back();
  await expect(page.locator('#workload-kind')).toHaveValue('full');
  await expect(page.locator('#hardware-gpu')).toHaveValue('h20');
  await calculator.back();
  await expect(page.locator('#algorithm')).toHaveValue('grpo');
  await calculator.back();
  await expect(page.locator('#hardware-gpu')).toHaveValue('h100-sxm');
});

test('Back undoes a choice alone that has no answer yet, or never gets one', async ({ page, calculator }) => {
  // The engine hears nothing while its messages are held.
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    const held = [];
    window.hold = false;
    window.pass = () => {
      window.hold = false;
      for (const send of held.splice(0)) send();
    };
    Worker.prototype.postMessage = function (...message) {
      const send = () => post.apply(this, message);
      if (window.hold) held.push(send);
      else send();
    };
  });
  await calculator.open();
  const gpu = page.locator('#hardware-gpu');
  await gpu.selectOption('h20');
  await calculator.settled();
  await page.evaluate(() => { window.hold = true; });
  await gpu.selectOption('h200-sxm');
  await expect(page).toHaveURL(/gpu=h200-sxm/);
  await page.goBack();
  await expect(gpu).toHaveValue('h20');
  await expect(page).toHaveURL(/gpu=h20&/);
  await page.evaluate(() => window.pass());
  await calculator.settled();
  await expect(gpu).toHaveValue('h20');
  // Beside a number that is refused, so is every choice.
  await page.locator('#hardware-gpus').fill('3');
  await calculator.settled();
  const shown = page.url();
  await calculator.task('sft');
  await page.locator('#hardware-gpus').fill('9000000');
  await calculator.settled();
  await gpu.selectOption('h100-sxm');
  await expect(page.locator('#hardware-gpus-m')).toBeVisible();
  await calculator.settled();
  await page.goBack();
  await expect(page.locator('#hardware-gpus')).toHaveValue('3');
  await expect(page.locator('#workload-kind')).toHaveValue('full');
  await page.goBack();
  await expect(page.locator('#workload-kind')).toHaveValue('rl');
  expect(page.url()).toBe(shown);
  await page.goBack();
  await expect(gpu).toHaveValue('h100-sxm');
});

test('a name on its way is no error; left, it is, with the nearest for a press', async ({ page, calculator }) => {
  await calculator.open();
  await expect(page.locator('body')).toBeFocused();
  await calculator.settled();
  const before = await page.locator('.verdict-q').innerText();
  await model(page).focus();
  await page.keyboard.type('llama 70b');
  await expect(options(page).first()).toContainText('Llama 3.3 70B');
  await expect(page.locator('.is-err, .is-stale, [aria-invalid=true], .ask .msg')).toHaveCount(0);
  await expect(page.locator('.verdict-q')).toHaveText(before);
  await page.keyboard.press('Tab');
  const said = page.locator('#model-m');
  await expect(said).toContainText('Model: The catalog has no such model.');
  await expect(said.getByRole('button')).toHaveText([/Llama 3\.3 70B/, /Llama 3\.1 70B/, /Llama 3 70B/]);
  await expect(model(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('.verdict')).toHaveClass(/is-stale/);
  // The keyboard has come to the nearest.
  await expect(said.getByRole('button').first()).toBeFocused();
  expect(await violations(page, '.ask')).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(model(page)).toHaveValue(/^Llama 3\.3 70B/);
  await expect(model(page)).toBeFocused();
  await expect(page.locator('.verdict-q')).toContainText('Llama 3.3 70B');
  await expect(page.locator('.is-err, .is-stale')).toHaveCount(0);
  // What is in no name at all has neighbours too, and typing on takes the error away.
  await model(page).fill('qwen3-8bb');
  await page.locator('#hardware-gpus').focus();
  await expect(said.getByRole('button', { name: 'Use Qwen3 8B', exact: true })).toBeVisible();
  await model(page).fill('qwen3-8');
  await expect(said).toHaveCount(0);
});

test('nothing is red before anything is typed', async ({ page, calculator }) => {
  await calculator.open();
  await expect(page.locator('body')).toBeFocused();
  for (const task of ['pretrain', 'sft', 'lora', 'qlora', 'dpo', 'ipo', 'kto', 'orpo', 'simpo', 'reward_model', 'ppo', 'dapo', 'gspo', 'dr_grpo', 'cispo', 'gmpo', 'rloo', 'reinforce_plus_plus', 'remax', 'prime', 'distill', 'rollout', 'grpo']) {
    await calculator.task(task);
    await expect(page.locator('.is-err, .is-need, .is-stale')).toHaveCount(0);
  }
  // What is missing is wanted, not wrong.
  await page.locator('#hardware-gpu').selectOption('custom');
  await page.locator('#hardware-gpu-base').selectOption('');
  await expect(page.locator('.is-need').first()).toBeVisible();
  await expect(page.locator('.is-err')).toHaveCount(0);
});

test('the parts of the plan stand clear at the end of the form', async ({ page, calculator }) => {
  await calculator.open();
  const summary = page.locator('#plan-controls > summary');
  await summary.click();
  for (const control of [summary, page.locator('#plan-rollout-speculative_speedup'), page.locator('#reset')]) {
    await control.scrollIntoViewIfNeeded();
    expect(await control.evaluate((own) => {
      const { left, top, width, height } = own.getBoundingClientRect();
      // Nothing is drawn over it, at its middle and at its lower edge.
      const at = (share) => document.elementFromPoint(left + Math.min(width / 2, 20), top + height * share);
      return [0.5, 0.95].every((share) => own.contains(at(share))) && getComputedStyle(own.closest('.ask-in'), '::after').content;
    })).toBe('none');
  }
});

for (const { title, width, colorScheme, lang, viewport } of VIEWS) {
  test.describe(title, () => {
    test.use({ colorScheme, viewport });

    test('the list and the figures of a GPU fit the window', async ({ page, calculator }) => {
      await calculator.open(`?lang=${lang}`);
      await page.locator('#hardware-gpu').selectOption('custom');
      await page.locator('#hardware-usd_per_gpu_hour').fill('1.5');
      await calculator.window(`form-own-${lang}-${width}-${colorScheme}`);
      await model(page).click();
      await model(page).fill('qwen');
      await expect(options(page).first()).toBeVisible();
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      expect(await violations(page, '.ask')).toEqual([]);
      await calculator.window(`form-models-${lang}-${width}-${colorScheme}`);
    });

    test('an error moves nothing, is seen whole, and is mended by a press', async ({ page, calculator }) => {
      const boxes = () => page.locator('.ask :is(input, select, summary, legend):visible').evaluateAll((all) => {
        const from = document.querySelector('#ask-h').getBoundingClientRect().top;
        return all.map((own) => [own.id, ...['x', 'y', 'width', 'height'].map((side) => Math.round(own.getBoundingClientRect()[side] - (side === 'y' ? from : 0)))].join(' '));
      });
      const label = { en: 'GPUs: ', zh: 'GPU 数：' }[lang];
      await calculator.open(`?lang=${lang}`);
      await calculator.settled();
      const count = page.locator('#hardware-gpus');
      for (const [wrong, mends] of [['0', ['1', '8']], ['100000', ['2,048', '8']]]) {
        await count.fill('8');
        await expect(page.locator('.is-stale')).toHaveCount(0);
        await calculator.settled();
        const before = await boxes();
        await count.fill(wrong);
        const said = page.locator('#hardware-gpus-m');
        await expect(said).toContainText(label);
        await expect(said.getByRole('button')).toHaveText(mends.map((value) => new RegExp(`\\s${value}(\\D|$)`)));
        await expect(said).not.toContainText(/[a-z]_[a-z]|hardware\./);
        expect(await boxes()).toEqual(before);
        await expect(said).toBeInViewport({ ratio: 1 });
        // What is typed is not cut.
        expect(await count.evaluate((own) => own.scrollWidth - own.clientWidth)).toBeLessThanOrEqual(0);
        expect(await said.evaluate((own) => own.scrollWidth - own.clientWidth)).toBeLessThanOrEqual(0);
        expect(await calculator.sideways()).toBeLessThanOrEqual(0);
        expect(await violations(page, '.ask')).toEqual([]);
        await calculator.window(`form-wrong-${wrong}-${lang}-${width}-${colorScheme}`);
        await said.getByRole('button').first().click();
        await expect(count).toHaveValue(mends[0]);
        await expect(count).toBeFocused();
        await expect(page.locator('.is-err, .is-stale')).toHaveCount(0);
      }
    });

    test('a message gives way to what has the keyboard', async ({ page, calculator }) => {
      await calculator.open();
      await page.locator('#workload-rl-prompts_per_step').fill('x');
      const said = page.locator('#workload-rl-prompts_per_step-m');
      await expect(said).toBeVisible();
      const below = page.locator('#workload-rl-max_prompt_length');
      await below.focus();
      await expect(said).toHaveAttribute('data-above', '');
      const [words, field] = [await said.boundingBox(), await below.boundingBox()];
      expect(words.y + words.height).toBeLessThanOrEqual(field.y);
      await expect(said).toBeInViewport({ ratio: 1 });
      await page.locator('#workload-rl-prompts_per_step').focus();
      await expect(said).not.toHaveAttribute('data-above');
      await expect(said).toContainText('Prompts per step: ');
    });
  });
}
