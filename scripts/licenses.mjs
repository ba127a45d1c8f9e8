// Writes the licences of the crates that are compiled in, with their texts, as each crate carries them.
//
//   node scripts/licenses.mjs site|package|program|wheel > THIRD-PARTY-LICENSES.txt

import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PRODUCTS, linkedInto } from './linked.mjs';

const [product] = process.argv.slice(2);
if (!(product in PRODUCTS)) {
  console.error(`usage: node scripts/licenses.mjs ${Object.keys(PRODUCTS).join('|')}`);
  process.exit(2);
}

// Where one may choose, MIT: the shortest, and the same for nearly all.
function texts({ manifest_path, license }) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice|unlicense)/i.test(file)).sort();
  const mit = files.filter((file) => /mit/i.test(file));
  const chosen = /\bMIT\b/.test(license) && !/\bAND\b/.test(license) && mit.length ? mit : files;
  return chosen.filter((file) => !/\.(rs|toml)$/.test(file)).map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}

const groups = new Map();
for (const one of linkedInto(product).packages.filter(({ source }) => source)) {
  const own = texts(one) || `No licence file comes with it: ${one.license}. ${one.repository ?? ''}`.trim();
  const line = `${one.name} ${one.version} (${one.license})`;
  groups.set(own, [...(groups.get(own) ?? []), line]);
}
console.log('What others wrote and is compiled in, and its licences. Rust\'s own library: MIT OR Apache-2.0, https://www.rust-lang.org/policies/licenses.');
for (const [text, crates] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
  console.log(`\n${'='.repeat(80)}\n${crates.sort().join('\n')}\n${'-'.repeat(80)}\n${text}`);
}
