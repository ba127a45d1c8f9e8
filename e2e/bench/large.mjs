// What opening a large question asks of the page's own thread.
//
//   node e2e/bench/large.mjs [--dir dist]
//
// Opens links to the largest questions in Chromium, each in a page of its own, and prints the longest task of the main
// thread in milliseconds of the processor's time, and when answer and whole page stand. Asserts nothing, since machines
// differ; no task is to take 50 ms.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { WHOLE } from '../browser.mjs';
import { serve } from '../serve.mjs';
import { TRACED, table, tasks } from './figures.mjs';

const OUT = fileURLToPath(new URL('../out/', import.meta.url));

// Model, GPU type, GPUs and schedule: as in core/benches.
const LARGE = [
  ['glm-5', 'h800-sxm', 768, 'one_step_off'],
  ['glm-5', 'h800-sxm', 4096, 'fully_async'],
  ['deepseek-v3', 'h800-sxm', 512, 'colocated'],
  ['deepseek-v3', 'h800-sxm', 4096, 'split'],
  ['kimi-k2', 'h200-sxm', 128, 'colocated'],
  ['kimi-k2', 'h200-sxm', 1024, 'one_step_off'],
];

const RL = {
  prompts_per_step: 256, responses_per_prompt: 8, mean_prompt_length: 300, mean_response_length: 2000,
  response_length_cv: 0.7, max_prompt_length: 1024, max_response_length: 8192, mini_batch: 64,
};

function link([model, gpu, gpus, schedule]) {
  const rl = Object.entries({ ...RL, schedule }).map(([key, value]) => [`workload.rl.${key}`, value]);
  const all = [['v', 1], ['model', model], ['hardware.gpu', gpu], ['hardware.gpus', gpus], ['workload.kind', 'grpo'], ...rl, ['z', 1]];
  return `#${new URLSearchParams(all)}`;
}

async function measure(browser, url, one) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  await browser.startTracing(page, { categories: TRACED });
  const from = performance.now();
  await page.goto(url + link(one));
  await page.locator('html[data-ready="1"]').waitFor();
  const answered = performance.now() - from;
  await page.locator('html:not([data-busy])').waitFor({ timeout: 120_000 });
  const whole = performance.now() - from;
  const seen = tasks(await browser.stopTracing());
  await page.close();
  return { name: one.join(' '), longest: seen.longest, all: seen.all, answered, whole };
}

const { values } = parseArgs({ options: { dir: { type: 'string' } } });
const server = await serve(values.dir ? { dir: values.dir } : {});
const executablePath = WHOLE;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const results = [];
for (const one of LARGE) results.push(await measure(browser, server.url, one));
await browser.close();
await server.stop();

const ms = (value) => value.toFixed(0);
console.log('\nOpening a large question, ms\n');
console.log(table([
  ['', 'longest task', 'all tasks', 'answer', 'whole page'],
  ...results.map((one) => [one.name, ms(one.longest), ms(one.all), ms(one.answered), ms(one.whole)]),
]));
mkdirSync(OUT, { recursive: true });
writeFileSync(`${OUT}large.json`, `${JSON.stringify(results, null, 1)}\n`);
