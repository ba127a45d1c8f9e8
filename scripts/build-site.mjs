// Builds the site in dist/: what `trunk build` makes of app/index.html, without Trunk, which takes two minutes to install.
// `make test-trunk` holds the two against each other, file by file.
//
//   node scripts/build-site.mjs [FOLDER]           what the worker alone needs is a file of its own
//   node scripts/build-site.mjs FOLDER --whole     is in the program, as in Trunk's builds
//
// Each `data-trunk` link of app/index.html is carried out here; the rest is finish-site.mjs's.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'app/index.html');
const [folder, whole] = process.argv.slice(2);
const SITE = resolve(folder ?? join(ROOT, 'dist'));
// Beside it, so that a site is replaced as a whole.
const STAGE = `${SITE}-stage`;
const TARGET = 'wasm32-unknown-unknown';
const TARGETS = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target');
const SETTINGS = readFileSync(join(ROOT, 'Trunk.toml'), 'utf8');

const programs = [];
rmSync(STAGE, { recursive: true, force: true });
mkdirSync(STAGE, { recursive: true });
const page = readFileSync(PAGE, 'utf8').replace(/<link data-trunk ([^>]*)>/g, (_, attributes) => linked(attributes));
const [main] = programs;
main.isCut = whole === undefined;
const features = main.isCut ? ['--features', 'split'] : [];
await run('cargo', 'build', '--locked', '--release', '--target', TARGET, '-p', 'shardwise-app', ...features, ...programs.flatMap(({ name }) => ['--bin', name]));
await Promise.all(programs.map(bind));
writeFileSync(join(STAGE, 'index.html'), page.replace('</head>', `${start('pattern_preload', main.name)}</head>`));
await run('node', join(ROOT, 'scripts/finish-site.mjs'));
rmSync(SITE, { recursive: true, force: true });
renameSync(STAGE, SITE);

// Carries out a link, and gives what stands in its place.
function linked(attributes) {
  const { rel, href, ...data } = Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  const from = resolve(dirname(PAGE), href);
  switch (rel) {
    case 'css':
      cpSync(from, join(STAGE, basename(href)));
      return `<link rel="stylesheet" href="./${basename(href)}">`;
    case 'copy-file':
      cpSync(from, join(STAGE, basename(href)));
      return '';
    case 'copy-dir':
      cpSync(from, join(STAGE, data['data-target-path']), { recursive: true });
      return '';
    case 'rust':
      programs.push({ name: data['data-bin'], optimize: [`-O${data['data-wasm-opt']}`, ...data['data-wasm-opt-params'].split(' ')] });
      // The page does not start a worker's program.
      return data['data-type'] === 'worker' ? '' : start('pattern_script', data['data-bin']);
    default:
      throw new Error(`app/index.html: a link rel="${rel}" is not known to scripts/build-site.mjs`);
  }
}

// What starts a program, as Trunk.toml has it.
function start(key, program) {
  const [, line] = SETTINGS.match(new RegExp(`^${key} = '(.*)'$`, 'm'));
  return line.replaceAll('{base}', './').replaceAll('{js}', `${program}.js`).replaceAll('{wasm}', `${program}_bg.wasm`);
}

// The JavaScript around a program, and the program made smaller.
async function bind({ name, optimize, isCut }) {
  const built = join(TARGETS, TARGET, 'release', `${name}.wasm`);
  const words = ['--target', 'web', '--no-typescript', '--out-dir', STAGE, '--out-name', name];
  const files = [`${name}_bg.wasm`];
  if (isCut) {
    const parts = join(TARGETS, 'split');
    rmSync(parts, { recursive: true, force: true });
    await run('wasm_split_cli', built, parts);
    // The parts share what the linker gave to each other.
    await run('wasm-bindgen', ...words, '--keep-lld-exports', join(parts, 'main.wasm'));
    files.push(place(parts, name));
  } else {
    await run('wasm-bindgen', ...words, built);
  }
  await Promise.all(files.map((file) => run('wasm-opt', ...optimize, join(STAGE, file), '-o', join(STAGE, file))));
}

// Puts the part that was cut out, and the script that loads it, beside the program, under the names that all the site's files
// have; its file.
function place(parts, name) {
  const part = 'texts_bg.wasm';
  cpSync(join(parts, 'split_texts.wasm'), join(STAGE, part));
  const put = (file, from, ...names) => {
    const text = names.reduce((all, [old, own]) => {
      if (!all.includes(old)) throw new Error(`${from} does not name ${old}`);
      return all.replaceAll(old, own);
    }, readFileSync(from, 'utf8'));
    writeFileSync(join(STAGE, file), text);
  };
  put('split.js', join(parts, '__wasm_split.js'), ['./main.js', `./${name}.js`], ['./split_texts.wasm', `./${part}`]);
  // What the program calls it stays.
  put(`${name}.js`, join(STAGE, `${name}.js`), ['from "./__wasm_split.js"', 'from "./split.js"']);
  return part;
}

function run(command, ...words) {
  const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', env: { CARGO_PROFILE_RELEASE_STRIP: 'none', ...process.env, TRUNK_STAGING_DIR: STAGE } });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code) => (code === 0 ? done() : failed(new Error(`${command} failed`))));
  });
}
