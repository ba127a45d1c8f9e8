// The size of the site as it travels, in brotli at its best, against the budget.
//
//   node e2e/size.mjs            fails above the budget, and 5 % above the size on record
//   node e2e/size.mjs --record   puts the present sizes on record

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { partsOf } from '../scripts/parts.mjs';

const SITE = fileURLToPath(new URL('../dist', import.meta.url));
const RECORD = fileURLToPath(new URL('./size-budget.json', import.meta.url));
const GROWTH = 1.05;

// What a first visit reads before any program runs: the build has written the first answer into the page.
const WORDS = 'first words';

// All that the answer to a link's question needs: page, styles, scripts, program, the engine.
const FIRST = 'first result';

// And all that comes after it by itself: the parts of the program for the rest of the page, and for texts, and the published runs of RL,
// which the first question is of. What the service worker keeps after that, for use offline, is all of the site.
const WHOLE = 'first visit';

// The parts of the program in the order in which they are asked for: what several share counts for the first of them.
const PARTS = ['engine', 'rest', 'texts', 'opened', 'chinese'];

// Counted apart: those parts, what the accuracy page adds to what both pages load, which nobody downloads before asking,
// what saves charts, what talks with a page around it, and what other sites load.
const APART = /^(accuracy|errors|runs|generation|near-(?:training|rl|generation)|figure|embed|frame)[-.]/;

const brotli = (bytes) => brotliCompressSync(bytes, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
}).length;

function measure() {
  const sizes = {
    wasm: 0, js: 0, css: 0, ...Object.fromEntries(PARTS.map((part) => [`${part}.wasm`, 0])), 'figure.js': 0, 'frame.js': 0, 'embed.js': 0,
    'accuracy.wasm': 0, 'accuracy.js': 0, 'accuracy.css': 0, 'errors.css': 0, 'accuracy.json': 0, 'runs.json': 0, 'generation.json': 0,
    'near-training.json': 0, 'near-rl.json': 0, 'near-generation.json': 0,
  };
  const files = readdirSync(SITE);
  const made = partsOf(readFileSync(join(SITE, files.find((file) => /^split-/.test(file))), 'utf8'));
  for (const file of files) {
    const apart = PARTS.find((part) => made[part].includes(file)) ?? APART.exec(file)?.[1];
    const kind = apart ? `${apart}${extname(file)}` : extname(file).slice(1);
    if (kind in sizes) sizes[kind] += brotli(readFileSync(join(SITE, file)));
  }
  for (const [kind, size] of Object.entries(sizes)) {
    if (size === 0) throw new Error(`dist has no ${kind} file: build the site first`);
  }
  const page = brotli(readFileSync(join(SITE, 'index.html')));
  const early = brotli(readFileSync(join(SITE, files.find((file) => /^early-/.test(file)))));
  const first = page + sizes.wasm + sizes.js + sizes.css + sizes['engine.wasm'];
  return { [WORDS]: page + sizes.css + early, [FIRST]: first, [WHOLE]: first + sizes['rest.wasm'] + sizes['texts.wasm'] + sizes['near-rl.json'], ...sizes };
}

const { budget, recorded } = JSON.parse(readFileSync(RECORD, 'utf8'));
const sizes = measure();

if (process.argv.includes('--record')) {
  writeFileSync(RECORD, `${JSON.stringify({ budget, recorded: sizes }, null, 2)}\n`);
  console.log('recorded', sizes);
} else {
  const failures = [];
  console.log('bytes in brotli         now on record    budget');
  for (const [kind, size] of Object.entries(sizes)) {
    const row = [size, recorded[kind], budget[kind]].map((n) => String(n).padStart(10)).join('');
    console.log(kind.padEnd(16), row);
    if (size > budget[kind]) failures.push(`${kind} is over its budget`);
    if (size > recorded[kind] * GROWTH) failures.push(`${kind} grew by more than 5 %: find out why, then node e2e/size.mjs --record`);
  }
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
