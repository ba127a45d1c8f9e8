// Writes the licences of the crates that are compiled in, with their texts, as each crate carries them.
//
//   node scripts/licenses.mjs site|package|program|wheel > THIRD-PARTY-LICENSES.txt

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PRODUCTS = {
  site: { names: ['shardwise-app'], platform: 'wasm32-unknown-unknown', options: [] },
  // app/src/bin/api.rs
  package: { names: ['shardwise-core', 'wasm-bindgen'], platform: 'wasm32-unknown-unknown', options: [] },
  // The module that Python loads, and the command line.
  wheel: { names: ['shardwise-python', 'shardwise-core'], platform: null, options: ['--features', 'shardwise-core/cli'] },
  program: { names: ['shardwise-core'], platform: null, options: ['--features', 'shardwise-core/serve'] },
};

const product = PRODUCTS[process.argv[2]];
if (!product) {
  console.error('usage: node scripts/licenses.mjs site|package|program|wheel');
  process.exit(2);
}

const platform = product.platform ?? /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { cwd: ROOT, encoding: 'utf8' }))[1];
const { packages, resolve } = JSON.parse(execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', '--offline', '--filter-platform', platform, ...product.options], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 }));
const byId = new Map(packages.map((one) => [one.id, one]));
const nodes = new Map(resolve.nodes.map((one) => [one.id, one]));

// What is linked: neither of builds and tests, nor macros, which run in the compiler.
function linked(id, found = new Set()) {
  if (found.has(id) || byId.get(id).targets.some((target) => target.kind.includes('proc-macro'))) return found;
  found.add(id);
  for (const { pkg, dep_kinds } of nodes.get(id).deps) {
    if (dep_kinds.some(({ kind }) => kind === null)) linked(pkg, found);
  }
  return found;
}

// Where one may choose, MIT: the shortest, and the same for nearly all.
function texts({ manifest_path, license }) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice|unlicense)/i.test(file)).sort();
  const mit = files.filter((file) => /mit/i.test(file));
  const chosen = /\bMIT\b/.test(license) && !/\bAND\b/.test(license) && mit.length ? mit : files;
  return chosen.filter((file) => !/\.(rs|toml)$/.test(file)).map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}

const roots = product.names.map((name) => packages.find((one) => one.name === name).id);
const groups = new Map();
const all = roots.reduce((found, root) => linked(root, found), new Set());
for (const one of [...all].map((id) => byId.get(id)).filter(({ source }) => source)) {
  const own = texts(one) || `No licence file comes with it: ${one.license}. ${one.repository ?? ''}`.trim();
  const line = `${one.name} ${one.version} (${one.license})`;
  groups.set(own, [...(groups.get(own) ?? []), line]);
}
console.log('What others wrote and is compiled in, and its licences. Rust\'s own library: MIT OR Apache-2.0, https://www.rust-lang.org/policies/licenses.');
for (const [text, crates] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
  console.log(`\n${'='.repeat(80)}\n${crates.sort().join('\n')}\n${'-'.repeat(80)}\n${text}`);
}
