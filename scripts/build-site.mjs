// Builds the site in dist/: what `trunk build` makes of app/index.html, without Trunk, which takes two minutes to install.
// `make test-trunk` holds the two against each other, file by file.
//
//   node scripts/build-site.mjs [FOLDER]           what the worker alone needs is a file of its own
//   node scripts/build-site.mjs FOLDER --whole     is in the program, as in Trunk's builds
//
// Each `data-trunk` link of app/index.html is carried out here; the rest is finish-site.mjs's.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'app/index.html');
const [folder, whole] = process.argv.slice(2);
const SITE = resolve(folder ?? join(ROOT, 'dist'));
// Beside it, so that a site is replaced as a whole.
const STAGE = `${SITE}-stage`;
const TARGET = 'wasm32-unknown-unknown';
const TARGETS = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target');

// What wasm-bindgen reads types by must stay in the program. wasm-bindgen 0.2.129 calls it the first; wasm_split_cli
// 0.2.2 looks for the second, its name in earlier versions.
const MARKS = ['__wbindgen_describe_generic_import', '__wbindgen_describe_cast'];
// What tells shared parts apart: names have no digits, which digests have.
const letters = (place) => (place < 26 ? '' : letters(Math.floor(place / 26) - 1)) + String.fromCharCode(97 + (place % 26));
// The number of the section.
const IMPORTS = 2;

const programs = [];
rmSync(STAGE, { recursive: true, force: true });
mkdirSync(STAGE, { recursive: true });
const page = readFileSync(PAGE, 'utf8').replace(/<link data-trunk ([^>]*)>/g, (_, attributes) => carryOut(attributes));
const [main] = programs;
main.isCut = whole === undefined;
const features = main.isCut ? ['--features', 'split'] : [];
await run('cargo', 'build', '--locked', '--release', '--target', TARGET, '-p', 'shardwise-app', ...features, ...programs.flatMap(({ name }) => ['--bin', name]));
await Promise.all(programs.map(bind));
writeFileSync(join(STAGE, 'index.html'), page);
await run('node', join(ROOT, 'scripts/finish-site.mjs'));
rmSync(SITE, { recursive: true, force: true });
renameSync(STAGE, SITE);

// Carries out a link, in whose place nothing stands.
function carryOut(attributes) {
  const { rel, href, ...data } = Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  switch (rel) {
    case 'copy-dir':
      cpSync(resolve(dirname(PAGE), href), join(STAGE, data['data-target-path']), { recursive: true });
      return '';
    case 'rust':
      programs.push({ name: data['data-bin'], optimize: [`-O${data['data-wasm-opt']}`, ...data['data-wasm-opt-params'].split(' ')] });
      return '';
    default:
      throw new Error(`app/index.html: a link rel="${rel}" is not known to scripts/build-site.mjs`);
  }
}

// The JavaScript around a program, and the program made smaller.
async function bind({ name, optimize, isCut }) {
  const built = join(TARGETS, TARGET, 'release', `${name}.wasm`);
  const words = ['--target', 'web', '--no-typescript', '--out-dir', STAGE, '--out-name', name];
  const files = [`${name}_bg.wasm`];
  if (isCut) {
    const parts = join(TARGETS, 'split');
    rmSync(parts, { recursive: true, force: true });
    mkdirSync(parts);
    const uncut = join(parts, 'uncut');
    writeFileSync(uncut, renamed(readFileSync(built), ...MARKS));
    await run('wasm_split_cli', uncut, parts);
    const left = join(parts, 'main.wasm');
    writeFileSync(left, renamed(readFileSync(left), ...MARKS.toReversed()));
    // The parts share what the linker gave to each other.
    await run('wasm-bindgen', ...words, '--keep-lld-exports', left);
    files.push(...place(parts, name));
  } else {
    await run('wasm-bindgen', ...words, built);
  }
  await Promise.all(files.map((file) => run('wasm-opt', ...optimize, join(STAGE, file), '-o', join(STAGE, file))));
}

// A program under another name of one thing that it imports. Sections have their sizes in front; what points into them counts
// from their own beginning, so that one may become longer.
function renamed(wasm, from, to) {
  const number = (at) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return [value, at];
    }
  };
  const written = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...written(value >> 7)]);
  const name = (text) => Buffer.from([...written(text.length), ...Buffer.from(text)]);
  // After the magic number and the version.
  for (let at = 8; at < wasm.length;) {
    const begin = at;
    const [size, inside] = number(at + 1);
    at = inside + size;
    if (wasm[begin] !== IMPORTS) continue;
    const section = wasm.subarray(inside, at);
    const place = section.indexOf(name(from));
    if (place < 0) break;
    const own = Buffer.concat([section.subarray(0, place), name(to), section.subarray(place + name(from).length)]);
    return Buffer.concat([wasm.subarray(0, begin), Buffer.from([IMPORTS, ...written(own.length)]), own, wasm.subarray(at)]);
  }
  throw new Error(`the program imports no ${from}`);
}

// Puts the parts that were cut out, and the script that loads them, beside the program, under names like those of the site's
// other programs; their files.
function place(parts, name) {
  // What several parts need and the program does not is a part as well, without a name of its own.
  const named = (file) => file.replace(/^split_/, '').replace(/^chunk_(\d+)/, (_, place) => `shared-${letters(Number(place))}`).replace('.wasm', '_bg.wasm');
  const cut = readdirSync(parts).filter((file) => file.endsWith('.wasm') && file !== 'main.wasm');
  const names = new Set(cut.map(named));
  if (names.size < cut.length) throw new Error(`${cut.join(', ')}: two parts would have one name`);
  for (const file of cut) cpSync(join(parts, file), join(STAGE, named(file)));
  const put = (file, from, ...changes) => {
    const text = changes.reduce((all, [old, own]) => {
      if (!all.includes(old)) throw new Error(`${from} does not name ${old}`);
      return all.replaceAll(old, own);
    }, readFileSync(from, 'utf8'));
    writeFileSync(join(STAGE, file), text);
  };
  // That a part does not load is said on the page; that a page is left meanwhile is nothing to say.
  const quiet = ['console.error(e);', ''];
  // What a worker asked for in good time is not asked for twice.
  const early = ['const src = fetch(srcUrl);', 'const src = globalThis.early?.get(srcUrl.href) ?? fetch(srcUrl);\n        globalThis.early?.delete(srcUrl.href);'];
  put('split.js', join(parts, '__wasm_split.js'), quiet, early, ['./main.js', `./${name}.js`], ...cut.map((file) => [`./${file}`, `./${named(file)}`]));
  // What the program calls it stays.
  put(`${name}.js`, join(STAGE, `${name}.js`), ['from "./__wasm_split.js"', 'from "./split.js"']);
  return [...names];
}

function run(command, ...words) {
  const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', env: { CARGO_PROFILE_RELEASE_STRIP: 'none', ...process.env, TRUNK_STAGING_DIR: STAGE } });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code) => (code === 0 ? done() : failed(new Error(`${command} failed`))));
  });
}
