// Lighthouse on the built site, as a host would send it: accessibility, best practices and SEO must be 100.
//
//   node e2e/lighthouse.mjs
//
// Uses the project's Chromium and nothing from the network. The speed is printed and asserts nothing: machines differ.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import lighthouse from 'lighthouse';
import { chromium } from 'playwright';
import { serve } from './serve.mjs';

const OUT = fileURLToPath(new URL('./out/', import.meta.url));
const WHOLE = ['accessibility', 'best-practices', 'seo'];

/** The audits of a category that took points. */
function faults({ categories, audits }, id) {
  return categories[id].auditRefs
    .filter(({ id: audit, weight }) => weight > 0 && audits[audit].score !== null && audits[audit].score < 1)
    .map(({ id: audit }) => `${audit}: ${audits[audit].title}`);
}

async function audit(name, url, port) {
  const { lhr } = await lighthouse(url, { port, output: 'json', logLevel: 'error', onlyCategories: ['performance', ...WHOLE] });
  if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}lighthouse-${name}.json`, JSON.stringify(lhr));
  const score = (id) => Math.round(lhr.categories[id].score * 100);
  console.log(`${name}: ${['performance', ...WHOLE].map((id) => `${id} ${score(id)}`).join(', ')}`);
  const lost = WHOLE.flatMap((id) => (score(id) === 100 ? [] : faults(lhr, id).map((text) => `  ${id}: ${text}`)));
  if (lost.length) console.error(lost.join('\n'));
  return WHOLE.every((id) => score(id) === 100);
}

const PORT = Number(process.env.LIGHTHOUSE_PORT ?? 9333);
const { url, stop } = await serve({ compress: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', `--remote-debugging-port=${PORT}`],
});
let passed = 0;
const pages = [['calculator', url], ['accuracy', `${url}accuracy/`], ['methods', `${url}methods/`]];
try {
  for (const [name, address] of pages) passed += (await audit(name, address, PORT)) ? 1 : 0;
} finally {
  await browser.close();
  await stop();
}
console.log(`${passed} passed, ${pages.length - passed} failed`);
process.exit(passed === pages.length ? 0 : 1);
