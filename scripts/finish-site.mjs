// Trunk's last step: joins the style sheets into one file, writes the accuracy page, what starts the worker that writes
// flags, the methods pages, which that program makes, and the service worker.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const site = process.env.TRUNK_STAGING_DIR;
if (!site) throw new Error('TRUNK_STAGING_DIR is not set: this script runs as a hook of `trunk build`');

const digest = (bytes, algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding);

// Never served from the cache: the worker itself, what other sites load, what hosts and readers of the README use.
const NOT_CACHED = new Set(['sw.js', 'embed.js', '_headers', 'screenshot.png']);

joinStyles();
writeAccuracyPage();
const answer = await writeTextsWorker();
writeMethodsPages(answer);
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
async function writeTextsWorker() {
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
  const program = await import(pathToFileURL(join(site, js)).href);
  program.initSync({ module: readFileSync(join(site, wasm)) });
  return program.answer;
}

// A page of text in each language, without a program: the worker's program makes its body, which is written as markup
// here. All that is in it is ours; it is escaped like any text.
function writeMethodsPages(answer) {
  const pages = [
    { tag: 'en', folder: 'methods', title: 'Shardwise: every formula, with its source', description: 'What the calculator computes: every formula with its terms, its source, the code that computes it, and how far off its figures were on published runs.' },
    { tag: 'zh-CN', folder: 'methods/zh', title: 'Shardwise：全部公式及其来源', description: '计算器所用的全部公式：各项含义、出处、对应的代码，以及在公开运行数据上的误差。' },
  ];
  const [style] = readdirSync(site).filter((file) => /^accuracy-[0-9a-f]+\.css$/.test(file));
  for (const { tag, folder, title, description } of pages) {
    const reply = JSON.parse(answer(JSON.stringify({ id: 1, task: { is: 'methods', lang: tag } })));
    if (!Array.isArray(reply.result)) throw new Error('the program of the texts made no methods page');
    let html = readFileSync(join(site, 'index.html'), 'utf8');
    const change = (pattern, by) => {
      if (html.search(pattern) < 0) throw new Error(`index.html has changed: nothing matches ${pattern}`);
      html = html.replace(pattern, () => by);
    };
    change(/<html [^>]*>/, `<html lang="${tag}">`);
    change(/<meta charset="utf-8">/, `<meta charset="utf-8">\n<base href="${'../'.repeat(folder.split('/').length)}">`);
    change(/<title>.*<\/title>/, `<title>${title}</title>`);
    change(/<meta name="description" content="[^"]*">/, `<meta name="description" content="${description}">`);
    const [sheet] = html.match(/<link rel="stylesheet" [^>]*>/);
    change(sheet, `${sheet}\n<link rel="stylesheet" href="./${style}">`);
    change(/<script defer [^>]*><\/script>/, '<script defer src="./boot.js"></script>');
    change(/<link rel="modulepreload"[^>]*><link rel="preload"[^>]*>/, '');
    change(/<body>[\s\S]*<\/body>/, `<body>\n${markup(reply.result)}\n</body>`);
    mkdirSync(join(site, folder), { recursive: true });
    writeFileSync(join(site, folder, 'index.html'), html.replace(/^<!--.*-->\n/gm, ''));
  }
}

// A tree of app/src/tree as markup.
function markup(tree) {
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  if (typeof tree === 'string') return escape(tree);
  const [spec, ...rest] = tree;
  const [head, ...fixed] = spec.split('|');
  const [name, ...classes] = head.split('.');
  const attributes = Object.entries(classes.length ? { class: classes.join('.') } : {});
  for (const one of fixed) attributes.push([one.split('=')[0], one.split('=').slice(1).join('=')]);
  const children = [];
  for (const part of rest) {
    if (typeof part === 'string' || Array.isArray(part)) children.push(markup(part));
    else attributes.push(...Object.entries(part));
  }
  const tag = name.toLowerCase() === name ? name : name.toLowerCase();
  return `<${tag}${attributes.map(([key, value]) => ` ${key}="${escape(value)}"`).join('')}>${children.join('')}</${tag}>`;
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
