// What each part of a program costs: the bytes of its functions by crate and module, and of its data.
//
//   node scripts/wasm-parts.mjs FILE [LINES]
//
// The file must have its names: `make parts` builds one. Brotli sees the whole, so its bytes are shared out by raw size.

import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const [file, lines = '25'] = process.argv.slice(2);
const bytes = readFileSync(file);
let at = 8;

function number() {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}

function text() {
  const length = number();
  at += length;
  return bytes.toString('utf8', at - length, at);
}

const CUSTOM = 0;
const IMPORT = 2;
const CODE = 10;
const DATA = 11;
const sections = [];
while (at < bytes.length) {
  const id = bytes[at++];
  const size = number();
  sections.push({ id, start: at, size });
  at += size;
}

// Functions are numbered after the imported ones.
function importedFunctions({ start }) {
  at = start;
  let functions = 0;
  for (let left = number(); left > 0; left -= 1) {
    text();
    text();
    const kind = bytes[at++];
    if (kind === 0) {
      number();
      functions += 1;
    } else if (kind === 3) at += 2;
    else if (kind === 4) {
      at += 1;
      number();
    } else {
      if (kind === 1) at += 1;
      const bounded = bytes[at++] & 1;
      number();
      if (bounded) number();
    }
  }
  return functions;
}

function functionNames() {
  const names = new Map();
  for (const { id, start, size } of sections) {
    at = start;
    if (id !== CUSTOM || text() !== 'name') continue;
    while (at < start + size) {
      const kind = bytes[at++];
      const end = number() + at;
      if (kind === 1) for (let left = number(); left > 0; left -= 1) names.set(number(), text());
      at = end;
    }
  }
  return names;
}

const first = importedFunctions(sections.find(({ id }) => id === IMPORT));
const names = functionNames();
if (names.size === 0) throw new Error(`${file} has no names: build it with make parts`);

// The path of `<a::b::C as d::e>::f` is a::b.
function path(name) {
  const clean = name.replaceAll(/\[[0-9a-f]+\]/g, '').replace(/::h[0-9a-f]{16}$/, '').replace(/^[<&(\[*]*(?:mut |const |dyn )*/, '');
  const steps = clean.split(/[<> ]/)[0].split('::').filter(Boolean);
  const modules = steps.slice(0, -1).filter((step) => /^[a-z]/.test(step));
  return modules.length ? modules : ['without a path'];
}

const crates = new Map();
const modules = new Map();
const add = (sizes, name, size) => sizes.set(name, (sizes.get(name) ?? 0) + size);
const code = sections.find(({ id }) => id === CODE);
const data = sections.find(({ id }) => id === DATA);
at = code.start;
const count = number();
for (let index = first; index < first + count; index += 1) {
  const size = number();
  const steps = path(names.get(index) ?? '');
  add(crates, steps[0], size);
  if (steps[0].startsWith('shardwise_')) add(modules, steps.slice(0, 3).join('::'), size);
  at += size;
}
add(crates, 'data: words, tables, catalog', data?.size ?? 0);

const total = [...crates.values()].reduce((sum, size) => sum + size, 0);
const whole = [code, data].filter(Boolean).map(({ start, size }) => bytes.subarray(start, start + size));
const packed = brotliCompressSync(Buffer.concat(whole)).length;
console.log(`${total} bytes of code and data, about ${packed} in brotli`);
for (const [title, sizes] of [['by crate', crates], ['our modules', modules]]) {
  console.log(`\n${title}`);
  const largest = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, Number(lines));
  for (const [name, size] of largest) {
    const share = size / total;
    console.log(`${String(size).padStart(9)} ${(100 * share).toFixed(1).padStart(5)} %  ${String(Math.round(packed * share)).padStart(7)} in brotli  ${name}`);
  }
}
