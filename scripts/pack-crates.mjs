// Packs the crates for crates.io: target/crates/target/package/*.crate, and target/crates/ to publish them from.
//
//   node scripts/pack-crates.mjs            with the site of dist/
//   node scripts/pack-crates.mjs --quick    with that of SHARDWISE_SITE, to see that they can be packed: no program is built
//
// The tree's build scripts read across its crates (an explanation is a doc comment of another crate, a site that of the page),
// which a crate of a registry cannot. So each is packed with the tables that its build script has made, and with a build script
// that copies them (scripts/crates/). The program, a target of shardwise-core here, is a crate by its own name, with the site in it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commit } from './identity.mjs';
import { filesOf } from './offline.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STAGE = join(ROOT, 'target/crates');
const LIBRARY = 'shardwise-core';
const PROGRAM = 'shardwise';
const SITE = ['site', 'site.rs'];
// In no crate: of the page, Python and this house.
const OTHERS = ['shardwise-app', 'shardwise-python', 'xtask'];
// As https://doc.rust-lang.org/cargo/reference/manifest.html has them: five keywords at most, categories of crates.io's own list.
const ABOUT = { keywords: ['llm', 'gpu', 'training', 'memory', 'calculator'], categories: ['science', 'command-line-utilities'] };
// As `fast` in Cargo.toml.
const PROFILE = { 'opt-level': 3, lto: 'fat', 'codegen-units': 1, strip: 'symbols' };

const cargo = (cwd, ...words) => execFileSync('cargo', words, { cwd, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
const { packages } = JSON.parse(cargo(ROOT, 'metadata', '--no-deps', '--format-version', '1', '--offline'));
const ours = packages.filter(({ name }) => !OTHERS.includes(name));
const library = ours.find(({ name }) => name === LIBRARY);
const made = tables();

rmSync(STAGE, { recursive: true, force: true });
for (const one of ours) layer(one);
program();
cpSync(join(ROOT, 'Cargo.lock'), join(STAGE, 'Cargo.lock'));
cargo(STAGE, 'package', '--workspace', '--no-verify', '--offline', '--allow-dirty', '--quiet');
for (const file of readdirSync(join(STAGE, 'target/package')).filter((name) => name.endsWith('.crate')).sort()) console.log(`target/crates/target/package/${file}`);

// Where each crate's build script has put its tables, of the program with the site in it.
function tables() {
  const how = process.argv.includes('--quick') ? ['check'] : ['build', '--profile', 'fast'];
  const lines = cargo(ROOT, ...how, '--locked', '-p', LIBRARY, '--features', 'serve', '--bin', PROGRAM, '--message-format', 'json');
  const found = new Map();
  for (const line of lines.trim().split('\n')) {
    const { reason, package_id: id, out_dir: folder } = JSON.parse(line);
    const one = reason === 'build-script-executed' && ours.find((own) => own.id === id);
    if (one) found.set(one.name, folder);
  }
  return found;
}

function layer(one) {
  const folder = join(STAGE, one.name);
  const from = dirname(one.manifest_path);
  cpSync(join(from, 'src'), join(folder, 'src'), { recursive: true, filter: (path) => path !== join(from, 'src/bin') });
  if (made.has(one.name)) tablesOf(one.name, folder, (name) => !SITE.includes(name));
  const inside = new Set(one.dependencies.filter((needed) => needed.kind === null && (one !== library || named(needed, join(folder, 'src')))).map(({ name }) => name));
  const features = Object.entries(one.features)
    .filter(([name]) => one !== library || !['mcp', 'serve'].includes(name))
    .map(([name, parts]) => [name, parts.filter((part) => !part.startsWith('dep:') || inside.has(part.slice(4)))]);
  const needed = one.dependencies.filter(({ kind, name }) => kind === null && inside.has(name));
  const readme = readFileSync(join(ROOT, 'scripts/crates/layer.md'), 'utf8').replace('@NAME@', one.name).replace('@DESCRIPTION@', one.description);
  finish(folder, { one, name: one.name, description: one.description, readme, features, needed, more: '' });
}

// The library's program, with what it alone needs.
function program() {
  const from = join(dirname(library.manifest_path), 'src/bin');
  mkdirSync(join(STAGE, 'src'), { recursive: true });
  cpSync(join(from, `${PROGRAM}.rs`), join(STAGE, 'src/main.rs'));
  cpSync(join(from, PROGRAM), join(STAGE, 'src', PROGRAM), { recursive: true });
  tablesOf(LIBRARY, STAGE, (name) => SITE.includes(name));
  writeFileSync(join(STAGE, 'made/commit'), commit());
  const always = new Set(library.features.cli.filter((part) => part.startsWith('dep:')).map((part) => part.slice(4)));
  const needed = library.dependencies
    .filter((own) => own.kind === null && (own.path === null || own.path === undefined))
    .map((own) => ({ ...own, optional: own.optional && !always.has(own.name) }));
  needed.push({ name: LIBRARY, path: '', features: ['cli'], uses_default_features: true });
  const features = [
    ['default', ['serve']],
    ...['mcp', 'serve'].map((name) => [name, library.features[name].filter((part) => part !== 'cli')]),
  ];
  const members = ours.map(({ name }) => name);
  const more = `\n[workspace]\nresolver = "3"\nmembers = ${JSON.stringify(members)}\n\n[profile.release]\n${Object.entries(PROFILE).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join('')}`;
  const readme = readFileSync(join(ROOT, 'scripts/crates/program.md'), 'utf8');
  finish(STAGE, { one: library, name: PROGRAM, description: library.description, readme, features, needed, more });
}

function tablesOf(name, folder, wanted) {
  const from = made.get(name);
  for (const entry of readdirSync(from).filter(wanted)) cpSync(join(from, entry), join(folder, 'made', entry), { recursive: true });
  cpSync(join(ROOT, 'scripts/crates/build.rs'), join(folder, 'build.rs'));
}

// Whether the sources name a crate.
function named({ name }, folder) {
  const word = new RegExp(`\\b${name.replaceAll('-', '_')}\\b`);
  return filesOf(folder).some((file) => word.test(readFileSync(join(folder, file), 'utf8')));
}

function finish(folder, { one, name, description, readme, features, needed, more }) {
  for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) cpSync(join(ROOT, licence), join(folder, licence));
  writeFileSync(join(folder, 'README.md'), readme);
  const about = { name, version: one.version, edition: one.edition, 'rust-version': one.rust_version, description, license: one.license, readme: 'README.md', ...ABOUT, repository: one.repository };
  const rows = Object.entries(about).filter(([, value]) => value !== null && value !== undefined);
  const text = [
    '[package]', ...rows.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    'include = ["/src/**", "/made/**", "/build.rs", "/README.md", "/LICENSE-*"]',
    '', '[features]', ...features.map(([key, parts]) => `${key} = ${JSON.stringify(parts)}`),
    '', '[dependencies]', ...needed.map((own) => dependency(own, folder, one.version)), more,
  ];
  writeFileSync(join(folder, 'Cargo.toml'), `${text.join('\n')}\n`);
}

function dependency({ name, req, path, features, uses_default_features: usual, optional }, folder, version) {
  const isOurs = typeof path === 'string';
  const parts = [`version = ${JSON.stringify(isOurs ? `=${version}` : req)}`];
  if (isOurs) parts.push(`path = ${JSON.stringify(folder === STAGE ? name : `../${name}`)}`);
  if (features.length) parts.push(`features = ${JSON.stringify(features)}`);
  if (!usual) parts.push('default-features = false');
  if (optional) parts.push('optional = true');
  return `${name} = { ${parts.join(', ')} }`;
}
