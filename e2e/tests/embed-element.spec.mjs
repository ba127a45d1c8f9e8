// The element that embed.js defines: attributes, colours, panels, the question and its answer.

import { violations } from '../looks/axe.mjs';
import { QUESTION, element, event, expect, gather, height, resting, started, test } from '../hosts/page.mjs';

const PANELS = { form: '.emb-q', verdict: '.emb-v', gpus: '.emb-f', memory: '#memory', time: '#time', timeline: '#sheet-timeline', front: '#sheet-front', scaling: '#sheet-scaling', plans: '#plans', sensitivity: '#sensitivity', flags: '#flags', advice: '#advice' };

test('its attributes are the question, and follow their changes', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(element(baseURL, 'model="llama-3.1-8b" gpu="a100-sxm-80g" gpus="4" workload="lora" framework="llamafactory" lang="zh" title="LoRA"'));
  const root = await started(frame);
  await expect(frame).toHaveAttribute('title', 'LoRA');
  await expect(frame).toHaveAttribute('sandbox', /allow-scripts/);
  await expect(root).toHaveAttribute('lang', 'zh-CN');
  const inside = frame.contentFrame();
  await expect(inside.locator('#hardware-gpu')).toHaveValue('a100-sxm-80g');
  await expect(inside.locator('#hardware-gpus')).toHaveValue('4');
  await expect(inside.locator('.emb-fit')).toContainText('放得下');
  expect(await root.evaluate(() => location.hash)).toContain('workload.kind=lora');
  await expect(inside.locator('#framework')).toHaveValue(/^llamafactory /);

  await page.locator('shardwise-calculator').evaluate((own) => {
    own.setAttribute('gpu', 'h200-sxm');
    own.setAttribute('lang', 'en');
  });
  await expect(inside.locator('#hardware-gpu')).toHaveValue('h200-sxm');
  await expect(inside.getByRole('heading', { level: 1 })).toHaveText('Does it fit?');
});

test('a question of a copied link is shown as it is', async ({ openHost, baseURL }) => {
  const hash = 'v=1&amp;model=qwen3-32b&amp;hardware.gpu=h20&amp;hardware.gpus=16&amp;workload.kind=sft&amp;workload.sequence_length=4096&amp;workload.global_batch=64&amp;z=1';
  const frame = await openHost(element(baseURL, `question="${hash}"`));
  await started(frame);
  await expect(frame.contentFrame().locator('#hardware-gpu')).toHaveValue('h20');
});

for (const [attributes, words] of [
  ['model="no-such-model"', /no-such-model/],
  ['gpus="many"', /GPUs/],
  ['workload="dance"', /Task|Method/],
  ['gpu="abacus"', /abacus/],
  ['question="v=1&amp;model=qwen3-8b"', /link/i],
]) {
  test(`says what is wrong with ${attributes.split('=')[0]}`, async ({ openHost, baseURL }) => {
    const frame = await openHost(element(baseURL, attributes));
    await started(frame);
    await expect(frame.contentFrame().locator('[role=alert], .msg').filter({ hasText: words }).first()).toBeVisible();
    // And nothing that another question comes to.
    await expect(frame.contentFrame().locator('.emb-n, .emb-fit b')).toHaveCount(0);
  });
}

test('tells questions and answers, and takes a question before and after it has started', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(`${element(baseURL)}<script>document.querySelector('shardwise-calculator').question = ${JSON.stringify(QUESTION)};</script>`);
  await gather(page);
  const root = await started(frame);
  const steps = await page.evaluate(() => history.length);
  const shown = await event(page, 'question', (question) => question.hardware.gpus === 32);
  expect(shown).toMatchObject(QUESTION);
  const answer = await event(page, 'answer', (found) => found.plan !== undefined);
  expect(answer).toMatchObject({ version: 1, fits: true });
  expect(answer.advice).toBeInstanceOf(Array);
  await expect(frame.contentFrame().locator('#hardware-gpu')).toHaveValue('b200-sxm');

  // What a reader types, and what a script sets.
  await frame.contentFrame().locator('#hardware-gpus').fill('64');
  await event(page, 'question', (question) => question.hardware.gpus === 64);
  expect(await page.evaluate(() => document.querySelector('shardwise-calculator').question.hardware.gpus)).toBe(64);
  await page.evaluate((question) => {
    document.querySelector('shardwise-calculator').question = { ...question, model: 'qwen3-8b' };
  }, QUESTION);
  await event(page, 'question', (question) => question.model === 'qwen3-8b' && question.hardware.gpus === 32);

  // A refused one comes back as the interface's error; the calculator goes on.
  await page.evaluate((question) => {
    document.querySelector('shardwise-calculator').question = { ...question, workload: { kind: 'dance' } };
  }, QUESTION);
  const refused = await event(page, 'answer', (found) => found.error !== undefined);
  expect(refused).toMatchObject({ version: 1, error: { field: 'workload.kind' } });
  await expect(frame.contentFrame().locator('#hardware-gpus')).toHaveValue('32');

  // Nothing of it is a step back for the page around it.
  expect(await page.evaluate(() => history.length)).toBe(steps);
  expect(await root.evaluate(() => document.documentElement.dataset.ready)).toBe('1');
});

test('a host that does not listen hears no question and starts no worker', async ({ page, openHost, baseURL }) => {
  const files = [];
  page.on('request', (request) => files.push(request.url()));
  await page.addInitScript(() => {
    window.heard = [];
    window.addEventListener('message', ({ data }) => window.heard.push(data.type));
  });
  const frame = await openHost(element(baseURL, 'model="qwen3-8b"'));
  await resting(frame);
  await frame.contentFrame().locator('#hardware-gpus').fill('16');
  await expect.poll(() => frame.contentFrame().locator('html').evaluate(() => location.hash)).toContain('hardware.gpus=16');
  const heard = await page.evaluate(() => [...new Set(window.heard)].sort());
  expect(heard).toEqual(['shardwise:height', 'shardwise:ready']);
  expect(files.filter((file) => file.includes('texts'))).toEqual([]);
});

test('follows the colours that it stands on', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(`<style>
      html { color-scheme: light dark; } .night { background: oklch(0.2 0.02 250); } .fade { background: #eee; transition: background 300ms; }
      .dusk .fade { background: #111; } body.mark { background: rgb(20 20 20); }
    </style><div class="fade"><div id="around">${element(baseURL)}</div></div>`);
  const root = await started(frame);
  await root.evaluate((own) => { own.dataset.stays = '1'; });
  const seen = async (theme) => {
    await expect(root).toHaveAttribute('data-theme', theme);
    await expect(frame).toHaveCSS('color-scheme', theme);
  };
  const change = (script) => page.evaluate(script);
  await seen('light');
  await change(() => document.querySelector('#around').classList.add('night'));
  await seen('dark');
  await change(() => document.querySelector('#around').classList.remove('night'));
  await seen('light');
  await change(() => document.documentElement.classList.add('dusk'));
  await seen('dark');
  await change(() => {
    document.documentElement.className = '';
    document.querySelector('.fade').className = '';
  });
  await seen('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await seen('dark');
  await change(() => document.querySelector('shardwise-calculator').setAttribute('theme', 'light'));
  await seen('light');
  await change(() => document.querySelector('shardwise-calculator').setAttribute('theme', 'auto'));
  await seen('dark');
  // All that without starting anew.
  await expect(root).toHaveAttribute('data-stays', '1');
});

test('shows the panels that it is asked for, in both languages', async ({ page, calculator }) => {
  for (const lang of ['en', 'zh']) {
    await calculator.open(`?embed&lang=${lang}&panels=${Object.keys(PANELS).join()}`);
    for (const selector of Object.values(PANELS)) await expect(page.locator(selector)).toBeVisible();
    await calculator.settled();
    expect(await violations(page)).toEqual([]);
  }
  await calculator.open('?embed&panels=memory,,nonsense,%3Cb%3E');
  await expect(page.locator('#memory')).toBeVisible();
  for (const other of ['.emb-q', '.emb-v', '.emb-f', '#plans']) await expect(page.locator(other)).toHaveCount(0);
  // What is no panel is said, with those that are.
  await expect(page.locator('#no-panel')).toHaveText(/^panels: none is named “nonsense, <b>”\. There are form, verdict, .*, advice\.$/);
  await calculator.open('?embed&lang=zh&panels=nonsense');
  await expect(page.locator('#no-panel')).toContainText('nonsense');
  for (const own of ['.emb-q', '.emb-v']) await expect(page.locator(own)).toBeVisible();
  await calculator.open('?embed&panels=');
  await expect(page.locator('#no-panel')).toHaveCount(0);
  for (const own of ['.emb-q', '.emb-v']) await expect(page.locator(own)).toBeVisible();
  await expect(page.locator('.emb-f')).toHaveCount(0);
});

for (const [lang, folder] of [['en', ''], ['zh-CN', '?lang=zh']]) {
  test(`the copied code shows the question: ${lang}`, async ({ page, openHost, calculator, host }) => {
    await calculator.open(`${folder}#v=1&model=qwen3-32b&hardware.gpu=h20&hardware.gpus=16&workload.kind=sft&workload.sequence_length=4096&workload.global_batch=64&z=1`);
    await page.locator('#share-open').click();
    const texts = [];
    for (const id of ['#embed-element', '#embed-frame']) {
      await expect(page.locator(id)).toContainText('qwen3-32b');
      texts.push(await page.locator(id).innerText());
    }
    expect(await violations(page)).toEqual([]);
    for (const text of texts) {
      const frame = await openHost(text);
      const root = await started(frame);
      await expect(root).toHaveAttribute('lang', lang);
      await expect(frame.contentFrame().locator('#hardware-gpu')).toHaveValue('h20');
      await expect(frame.contentFrame().locator('#hardware-gpus')).toHaveValue('16');
      await expect.poll(() => frame.evaluate((own) => own.clientHeight)).toBeGreaterThan(300);
    }
    expect(page.url()).toBe(host.url);
  });
}

test('may be moved, taken away and put back', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(`${element(baseURL, 'model="qwen3-8b"')}<div id="other"></div>`);
  await started(frame);
  await page.evaluate(() => {
    const own = document.querySelector('shardwise-calculator');
    own.remove();
    own.setAttribute('gpus', '32');
    document.body.classList.add('dark');
    document.querySelector('#other').append(own);
  });
  await started(frame);
  await expect(frame.contentFrame().locator('#hardware-gpus')).toHaveValue('32');
  await resting(frame);
  expect(await height(frame)).toBeGreaterThan(300);
});
