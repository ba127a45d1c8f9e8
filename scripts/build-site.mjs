// Builds the site in dist/: what `trunk build` makes of app/index.html, without Trunk, which takes two minutes to install.
// `make test-trunk` holds the two against each other, file by file.
//
//   node scripts/build-site.mjs [FOLDER]
//
// Each `data-trunk` link of app/index.html is carried out here; the rest is finish-site.mjs's.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'app/index.html');
const SITE = resolve(process.argv[2] ?? join(ROOT, 'dist'));
// Beside it, so that a site is replaced as a whole.
const STAGE = `${SITE}-stage`;
const TARGET = 'wasm32-unknown-unknown';
const SETTINGS = readFileSync(join(ROOT, 'Trunk.toml'), 'utf8');

const programs = [];
rmSync(STAGE, { recursive: true, force: true });
mkdirSync(STAGE, { recursive: true });
const page = readFileSync(PAGE, 'utf8').replace(/<link data-trunk ([^>]*)>/g, (_, attributes) => linked(attributes));
await run('cargo', 'build', '--locked', '--release', '--target', TARGET, '-p', 'shardwise-app', ...programs.flatMap(({ name }) => ['--bin', name]));
await Promise.all(programs.map(bind));
const [main] = programs;
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
async function bind({ name, optimize }) {
  const built = join(resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target'), TARGET, 'release', `${name}.wasm`);
  await run('wasm-bindgen', '--target', 'web', '--no-typescript', '--out-dir', STAGE, '--out-name', name, built);
  const wasm = join(STAGE, `${name}_bg.wasm`);
  await run('wasm-opt', ...optimize, wasm, '-o', wasm);
}

function run(command, ...words) {
  const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TRUNK_STAGING_DIR: STAGE } });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code) => (code === 0 ? done() : failed(new Error(`${command} failed`))));
  });
}
