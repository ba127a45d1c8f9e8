// Trunk's last step: joins the style sheets into one file, writes the accuracy page, what starts the worker that writes
// flags, and the service worker.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const site = process.env.TRUNK_STAGING_DIR;
if (!site) throw new Error('TRUNK_STAGING_DIR is not set: this script runs as a hook of `trunk build`');

const digest = (bytes, algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding);

// Never served from the cache: the worker itself, what other sites load, what hosts and readers of the README use.
const NOT_CACHED = new Set(['sw.js', 'embed.js', '_headers', 'screenshot.png']);

joinStyles();
writeAccuracyPage();
writeTextsWorker();
writeServiceWorker();

// One request instead of a dozen. The order of the links is the order of the rules. Without an integrity
// attribute, which a sandboxed frame could not check; the service worker checks digests.
function joinStyles() {
  const page = join(site, 'index.html');
  const html = readFileSync(page, 'utf8');
  const links = [...html.matchAll(/<link rel="stylesheet" href="\.\/([^"]+)"[^>]*>\n?/g)];
  if (links.length === 0) throw new Error('index.html links no style sheet');
  const css = links.map(([, file]) => readFileSync(join(site, file), 'utf8')).join('\n');
  const name = `style-${digest(css, 'sha256', 'hex').slice(0, 16)}.css`;
  for (const [, file] of links) rmSync(join(site, file));
  writeFileSync(join(site, name), css);
  let written = false;
  const joined = html.replace(/<link rel="stylesheet" href="\.\/[^"]+"[^>]*>\n?/g, () => {
    if (written) return '';
    written = true;
    return `<link rel="stylesheet" href="./${name}">\n`;
  });
  writeFileSync(page, joined);
}

// The accuracy page is the calculator's with another program, one style sheet more and its data. In a folder of
// its own: hosts that hide `.html` redirect such an address, and a redirected answer may not serve a navigation.
function writeAccuracyPage() {
  const data = JSON.parse(readFileSync(join(site, 'accuracy.json'), 'utf8'));
  if (!data.runs?.length || !data.figures?.length) throw new Error('public/accuracy.json holds no runs');
  const [program] = hashed('accuracy.js', 'accuracy_bg.wasm');
  const [style] = hashed('accuracy.css');
  const [runs] = hashed('accuracy.json');
  let html = readFileSync(join(site, 'index.html'), 'utf8');
  const change = (pattern, by) => {
    if (html.search(pattern) < 0) throw new Error(`index.html has changed: nothing matches ${pattern}`);
    html = html.replace(pattern, by);
  };
  change(/<html lang="en">/, `<html lang="en" data-runs="${runs}">`);
  change(/<meta charset="utf-8">/, '$&\n<base href="../">');
  change(/<title>.*<\/title>/, '<title>Shardwise: how accurate is it?</title>');
  change(/(<meta name="description" content=")[^"]*/, '$1Predicted against measured throughput and memory, for every published run that the calculator was compared with, each with its source.');
  change(/<link rel="stylesheet" [^>]*>/, `$&\n<link rel="stylesheet" href="./${style}">`);
  change(/(?<=")\.\/shardwise-app-[0-9a-f]+(?=(_bg\.wasm|\.js)")/g, `./${program.replace(/\.js$/, '')}`);
  mkdirSync(join(site, 'accuracy'));
  writeFileSync(join(site, 'accuracy', 'index.html'), html);
}

// The program that writes flags and reads scripts: what starts it, under a hashed name that the page says.
function writeTextsWorker() {
  const [js, wasm] = hashed('texts.js', 'texts_bg.wasm');
  const starter = readFileSync(new URL('./texts-worker.js', import.meta.url), 'utf8').replace('@JS@', js).replace('@WASM@', wasm);
  if (/@[A-Z]+@/.test(starter)) throw new Error('texts-worker.js has changed its marks');
  const name = `texts-worker-${digest(starter, 'sha256', 'hex').slice(0, 16)}.js`;
  writeFileSync(join(site, name), starter);
  const page = join(site, 'index.html');
  const html = readFileSync(page, 'utf8');
  const named = html.replace('<html lang="en">', `<html lang="en" data-texts="./${name}">`);
  if (named === html) throw new Error('index.html has changed: its root element has no place for the worker');
  writeFileSync(page, named);
}

// Puts the digest of the last of some files that belong together into the names of all.
function hashed(...files) {
  const mark = digest(readFileSync(join(site, files.at(-1))), 'sha256', 'hex').slice(0, 16);
  return files.map((file) => {
    const name = file.replace(/^[a-z]+/, `$&-${mark}`);
    renameSync(join(site, file), join(site, name));
    return name;
  });
}

// The worker carries the digest of every file: what it caches is this build, or nothing.
function writeServiceWorker() {
  const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(site, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join('/'))
    .filter((file) => !NOT_CACHED.has(file))
    .sort()
    .map((file) => [file, `sha256-${digest(readFileSync(join(site, file)), 'sha256', 'base64')}`]);
  const version = digest(JSON.stringify(files), 'sha256', 'hex').slice(0, 16);
  const template = readFileSync(new URL('./service-worker.js', import.meta.url), 'utf8');
  const worker = template
    .replace("'@VERSION@'", JSON.stringify(version))
    .replace("'@FILES@'", JSON.stringify(files, null, 2));
  if (worker.includes('@VERSION@') || worker.includes('@FILES@')) throw new Error('service-worker.js has changed its marks');
  writeFileSync(join(site, 'sw.js'), worker);
  console.log(`site ${version}: ${files.length} files cached for offline use`);
}
