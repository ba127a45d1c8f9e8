// Lighthouse on the built site, as a host would send it: accessibility, best practices and SEO must be 100.
//
//   node e2e/lighthouse.mjs             once each
//   node e2e/lighthouse.mjs --runs 5    five times each, and the medians: on an otherwise idle machine
//   node e2e/lighthouse.mjs calculator  this page alone
//
// Uses the project's Chromium and nothing from the network. The speed is printed and asserts nothing: machines differ.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import lighthouse from 'lighthouse';
import { chromium } from 'playwright';
import { WHOLE } from './browser.mjs';
import { serve } from './serve.mjs';

const OUT = fileURLToPath(new URL('./out/', import.meta.url));
const PERFECT = ['accessibility', 'best-practices', 'seo'];

/** The audits of a category that took points. */
function faults({ categories, audits }, id) {
  return categories[id].auditRefs
    .filter(({ id: audit, weight }) => weight > 0 && audits[audit].score !== null && audits[audit].score < 1)
    .map(({ id: audit }) => `${audit}: ${audits[audit].title}`);
}

const FIGURES = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocking',
  'speed-index': 'speed index',
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

// Chromium sometimes records a trace without its beginning, which says nothing of the page.
const UNSEEN = 'NO_NAVSTART';

async function report(url, port, again = 2) {
  const { lhr } = await lighthouse(url, { port, output: 'json', logLevel: 'error', onlyCategories: ['performance', ...PERFECT] });
  if (lhr.runtimeError?.code === UNSEEN && again > 0) return report(url, port, again - 1);
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  return lhr;
}

async function audit(name, url, port, runs) {
  const reports = [];
  while (reports.length < runs) reports.push(await report(url, port));
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}lighthouse-${name}.json`, JSON.stringify(reports.at(-1)));
  const score = (lhr, id) => Math.round(lhr.categories[id].score * 100);
  const scores = ['performance', ...PERFECT].map((id) => `${id} ${median(reports.map((lhr) => score(lhr, id)))}`);
  const figures = Object.entries(FIGURES).map(([id, words]) => `${words} ${Math.round(median(reports.map(({ audits }) => audits[id].numericValue)))} ms`);
  console.log(`${name}: ${scores.join(', ')}; ${figures.join(', ')}`);
  const lost = reports.flatMap((lhr) => PERFECT.flatMap((id) => (score(lhr, id) === 100 ? [] : faults(lhr, id).map((text) => `  ${id}: ${text}`))));
  if (lost.length) console.error([...new Set(lost)].join('\n'));
  return lost.length === 0;
}

const { values, positionals } = parseArgs({ options: { runs: { type: 'string', default: '1' } }, allowPositionals: true });
const runs = Math.max(1, Number.parseInt(values.runs, 10) || 1);
const PORT = Number(process.env.LIGHTHOUSE_PORT ?? 9333);
const { url, stop } = await serve({ compress: true });
const browser = await chromium.launch({
  executablePath: WHOLE,
  args: ['--no-sandbox', `--remote-debugging-port=${PORT}`],
});
let passed = 0;
const all = [['calculator', ''], ['accuracy', 'accuracy/'], ['methods', 'methods/'], ['command-line', 'command-line/']];
const pages = all.filter(([name]) => positionals.length === 0 || positionals.includes(name));
try {
  for (const [name, address] of pages) passed += (await audit(name, `${url}${address}`, PORT, runs)) ? 1 : 0;
} finally {
  await browser.close();
  await stop();
}
console.log(`${passed} passed, ${pages.length - passed} failed`);
process.exit(passed === pages.length ? 0 : 1);
