// Times the search over every GPU type as the browser runs it: the questions of core/benches/questions, in a page of
// its own, with the site's build of the core. Prints medians and writes e2e/out/search.json.
//
//   node e2e/bench/search.mjs DIR [--runs 20] [--test]
//
// DIR holds bench.js and bench_bg.wasm, as `make bench-wasm` builds them. --test runs each once.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { WHOLE } from '../browser.mjs';
import { serve } from '../serve.mjs';
import { at, table } from './figures.mjs';

const OUT = fileURLToPath(new URL('../out/', import.meta.url));

/** In the page: one question's times in milliseconds. */
async function time({ index, runs }) {
  const { default: start, name, run, target_ms } = await import('./bench.js');
  await start();
  if (name(index) === undefined) return null;
  const times = [];
  let plans = run(index);
  const until = performance.now() + 60_000;
  while (times.length < runs && performance.now() < until) {
    const begun = performance.now();
    plans = run(index);
    times.push(performance.now() - begun);
  }
  return { name: name(index), target: target_ms(index), plans, times };
}

const { values, positionals: [dir] } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, test: { type: 'boolean', default: false } },
  allowPositionals: true,
});
writeFileSync(join(dir, 'index.html'), '<!doctype html><title>Bench</title>\n');
const server = await serve({ dir });
const browser = await chromium.launch({ executablePath: WHOLE, args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(server.url);
const results = [];
for (let index = 0; ; index += 1) {
  const one = await page.evaluate(time, { index, runs: values.test ? 1 : Number(values.runs) });
  if (!one) break;
  results.push(one);
}
await browser.close();
await server.stop();

const ms = (value) => value.toFixed(1);
console.log('\nSearch over every GPU type in Chromium, ms\n');
console.log(table([
  ['', 'plans', 'runs', 'median', 'p95', 'at most'],
  ...results.map((one) => [one.name, one.plans, one.times.length, ms(at(one.times, 0.5)), ms(at(one.times, 0.95)), ms(one.target)]),
]));
mkdirSync(OUT, { recursive: true });
writeFileSync(`${OUT}search.json`, `${JSON.stringify(results, null, 1)}\n`);
