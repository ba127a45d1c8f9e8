// How long a person waits from a keystroke until every chart shows the new answer, and what the longest task is.
//
//   node e2e/bench/keystrokes.mjs [--dir dist] [--rounds 3] [--profile]
//
// Types into fields of the built site in Chromium, for a training and an RL question, on this machine's speed. Prints
// the figures and writes them to e2e/out/keystrokes.json; asserts nothing, since machines differ. With --profile the
// functions that took the time are printed too.
//
// A keystroke is answered once #gpus, the last part to follow, is no longer busy and the frame that shows it is drawn: the types
// that it does not show are asked after that, while the next key is pressed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { WHOLE } from '../browser.mjs';
import { serve } from '../serve.mjs';
import { TRACED, at, table, tasks } from './figures.mjs';

const OUT = fileURLToPath(new URL('../out/', import.meta.url));

// What is typed where: a question by its preset, and the field with the texts that follow each other.
const CASES = [
  { name: 'training, sequence length', preset: 'llmforge', field: 'workload-sequence_length', texts: ['2048', '4096', '8192'] },
  { name: 'training, GPUs', preset: 'llmforge', field: 'hardware-gpus', texts: ['16', '32', '64'] },
  { name: 'QLoRA, global batch', preset: 'litgpt', field: 'workload-global_batch', texts: ['32', '64', '128'] },
  { name: 'RL, GPUs', preset: 'verl', field: 'hardware-gpus', texts: ['16', '32', '64'] },
  { name: 'RL of experts, prompts', preset: 'chatlearn', field: 'workload-rl-prompts_per_step', texts: ['128', '256', '512'] },
];

/** In the page: times every input event until #gpus is done and drawn. */
function watch() {
  const log = { keys: [], long: [] };
  window.keystrokes = log;
  let begun = null;
  let drawn = () => {};
  window.drawn = (wait) => new Promise((resolve) => {
    drawn = resolve;
    if (begun?.drawn) resolve();
    setTimeout(resolve, wait);
  });
  addEventListener('input', (event) => {
    begun = { from: event.timeStamp, at: performance.now(), task: 0, done: 0, drawn: 0 };
    log.keys.push(begun);
    // The next task runs once the page's own handlers have.
    setTimeout(() => { begun.task = performance.now(); });
  }, { capture: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) log.long.push(entry.duration);
  }).observe({ type: 'longtask', buffered: false });
  const gpus = document.getElementById('gpus');
  new MutationObserver(() => {
    if (gpus.getAttribute('aria-busy') !== 'false' || !begun || begun.done) return;
    const own = begun;
    own.done = performance.now();
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        own.drawn = performance.now();
        drawn();
      };
      port2.postMessage(0);
    });
  }).observe(gpus, { attributes: true, attributeFilter: ['aria-busy'] });
}

async function type(page, field, text) {
  const input = page.locator(`#${field}`);
  await input.fill('');
  await page.waitForTimeout(50);
  for (const key of text) {
    await input.press(key);
    // The page says when: asked at every frame, as `waitForFunction` does, it would draw them all. An invalid text asks nothing, so
    // the wait has an end.
    await page.evaluate((wait) => window.drawn(wait), 10_000);
    await page.waitForTimeout(30);
  }
}

async function measure(browser, url, one, rounds, profile) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  await page.goto(url);
  await page.locator('html[data-ready="1"]').waitFor();
  const value = await page.locator(`#preset option[value^="${one.preset}"]`).first().getAttribute('value');
  await page.locator('#preset').selectOption(value);
  await page.waitForTimeout(1500);
  await page.evaluate(watch);
  const session = profile ? await page.context().newCDPSession(page) : null;
  if (session) {
    await session.send('Profiler.enable');
    await session.send('Profiler.setSamplingInterval', { interval: 200 });
    await session.send('Profiler.start');
  } else {
    await browser.startTracing(page, { categories: TRACED });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const text of one.texts) await type(page, one.field, text);
  }
  const seen = session ? (await session.send('Profiler.stop')).profile : tasks(await browser.stopTracing());
  const log = await page.evaluate(() => window.keystrokes);
  await page.close();
  if (session) functions(one.name, seen);
  const answered = log.keys.filter((key) => key.drawn > 0);
  const per = (what) => what / log.keys.length;
  return {
    name: one.name,
    keys: log.keys.length,
    done: answered.map((key) => key.done - key.from),
    drawn: answered.map((key) => key.drawn - key.from),
    first: log.keys.map((key) => key.task - key.from),
    over50: log.long.length,
    longest: seen.longest ?? 0,
    parts: session ? {} : { all: per(seen.all), script: per(seen.script), style: per(seen.style), layout: per(seen.layout), paint: per(seen.paint) },
  };
}

/** The functions in which a profile's time was spent, most first. */
function functions(name, profile) {
  const own = new Map();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  profile.samples.forEach((id, index) => {
    const frame = nodes.get(id).callFrame;
    const key = `${frame.functionName || '?'} ${frame.url.split('/').at(-1)}`;
    own.set(key, (own.get(key) ?? 0) + profile.timeDeltas[index] / 1000);
  });
  console.log(`\n${name}: own time in ms`);
  const sorted = [...own].sort((a, b) => b[1] - a[1]).slice(0, 25);
  for (const [key, ms] of sorted) console.log(`${ms.toFixed(0).padStart(7)}  ${key}`);
}

const { values } = parseArgs({
  options: { dir: { type: 'string' }, rounds: { type: 'string', default: '3' }, profile: { type: 'boolean', default: false } },
});
const server = await serve(values.dir ? { dir: values.dir } : {});
const executablePath = WHOLE;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const results = [];
for (const one of CASES) results.push(await measure(browser, server.url, one, Number(values.rounds), values.profile));
await browser.close();
await server.stop();

const ms = (value) => value.toFixed(0);
const rows = results.map((one) => [
  one.name, one.keys, ms(at(one.done, 0.5)), ms(at(one.done, 0.95)), ms(Math.max(...one.done)), ms(at(one.drawn, 0.5)), ms(at(one.drawn, 0.95)),
  ms(at(one.first, 0.95)), ms(one.longest), one.over50, ...Object.values(one.parts).map((part) => part.toFixed(1)),
]);
console.log('\nKeystroke until every chart is new, ms\n');
console.log(table([
  ['', 'keys', 'p50', 'p95', 'max', 'drawn p50', 'drawn p95', 'answer p95', 'longest task', 'over 50', 'work', 'script', 'style', 'layout', 'paint'],
  ...rows,
]));
const all = results.flatMap((one) => one.done);
console.log(`\nall: p50 ${ms(at(all, 0.5))}, p95 ${ms(at(all, 0.95))}, max ${ms(Math.max(...all))}; longest task ${ms(Math.max(...results.map((one) => one.longest)))} ms`);
mkdirSync(OUT, { recursive: true });
writeFileSync(`${OUT}keystrokes.json`, `${JSON.stringify(results, null, 1)}\n`);
