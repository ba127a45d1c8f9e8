// The last step of the build, scripts/build-site.mjs's or Trunk's: joins the style sheets, names files by their digests, writes
// what starts the worker, every page of the site, and the service worker.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headersFile } from './hosting.mjs';
import { commit } from './identity.mjs';
import { LICENSES, filesOf, writeServiceWorker } from './offline.mjs';
import { partsOf } from './parts.mjs';

const site = process.env.TRUNK_STAGING_DIR;
if (!site) throw new Error('TRUNK_STAGING_DIR is not set: this script is the last step of scripts/build-site.mjs and of `trunk build`');

// The style sheets, in the order of their rules, and those of them that the accuracy page has beside its own.
const STYLES = [
  'tokens', 'base', 'boot', 'page', 'nav', 'form', 'picker', 'verdict', 'chart', 'table', 'flags', 'paste', 'advice', 'states', 'calibrate', 'run',
  'comfort', 'plan', 'near', 'embed',
];
const OF_ACCURACY = ['tokens', 'base', 'boot', 'nav', 'form', 'verdict', 'chart', 'table', 'states'];

// What every page is made of, as app/index.html marks it: what is before its body, the body of those with a program, and what
// is after it. Comments stay there.
const frame = readFileSync(join(site, 'index.html'), 'utf8').replace(/^ *<!--.*-->\n|^\n/gm, '').split('@BODY@\n');
if (frame.length !== 3) throw new Error('index.html has changed: it marks no body');

// Of which commit: an attribute of every page's root element, so that programs and their digests are the same of many.
const built = commit() && ` data-commit="${commit()}"`;
trimScripts();
const styles = joinStyles();
const [figure] = hashed('figure.js');
rename('boot.js', 'figure.js', figure);
const [early] = hashed('early.js');
const published = nameRuns();
writeCalculator(nameByDigest());
writeAccuracy();
writeTexts();
// What is compiled in may be passed on with its licences alone.
writeFileSync(join(site, LICENSES), execFileSync(process.execPath, [fileURLToPath(new URL('./licenses.mjs', import.meta.url)), 'site']));
writeFileSync(join(site, '_headers'), headersFile(filesOf(site)));
const { version, files } = writeServiceWorker(site);
console.log(`site ${version}: ${files.length} files cached for offline use`);

// Of all scripts: comments but for the first line, and indentation, stay here.
function trimScripts() {
  for (const name of readdirSync(site).filter((file) => file.endsWith('.js'))) {
    const [first, ...lines] = readFileSync(join(site, name), 'utf8').split('\n').map((line) => line.trim());
    const code = lines.filter((line) => !/^(\/\/|\/\*\*|\*( |\/|$))/.test(line) && line !== '');
    writeFileSync(join(site, name), `${[first, ...code].join('\n')}\n`);
  }
}

// One request instead of a dozen. Without an integrity attribute, which a sandboxed frame could not check; the service
// worker checks digests. The accuracy page has those that it needs: of more than 14 kB a first visit would get the rest a
// round trip later. Links to all of them, to the accuracy page's, and to what the pages of text have beside all.
function joinStyles() {
  const folder = new URL('../app/style/', import.meta.url);
  const left = readdirSync(folder).filter((file) => ![...STYLES, 'accuracy'].includes(file.replace(/\.css$/, '')));
  if (left.length > 0) throw new Error(`${left}: which pages have it?`);
  const read = (name) => readFileSync(new URL(`${name}.css`, folder), 'utf8').replace(/\/\*[^]*?\*\//g, '');
  const link = (file, names) => {
    writeFileSync(join(site, file), names.map(read).join('\n'));
    const [name] = hashed(file);
    return `<link rel="stylesheet" href="./${name}">`;
  };
  return { all: link('style.css', STYLES), errors: link('errors.css', [...OF_ACCURACY, 'accuracy']), texts: link('accuracy.css', ['accuracy']) };
}

// Trunk names the program after its wasm before that is optimised, and charts are saved by a script without a mark. Hosts
// let browsers keep files with a digest in their names, so it must be that of what is in them; and a window of an earlier
// version asks for its own files (service-worker.js). The program's new name.
function nameByDigest() {
  const [program] = readdirSync(site).filter((file) => /^shardwise-app(-[0-9a-f]+)?\.js$/.test(file));
  const stem = program.replace(/\.js$/, '');
  for (const end of ['.js', '_bg.wasm']) renameSync(join(site, stem + end), join(site, `shardwise-app${end}`));
  // What the first answer does not need is cut out (scripts/build-site.mjs), or is in it.
  const cut = readdirSync(site).filter((file) => /^(chinese|engine|opened|rest|shared-[a-z]+|texts)_bg\.wasm$|^split\.js$/.test(file));
  const files = ['shardwise-app.js', 'shardwise-app_bg.wasm', ...cut].sort();
  return hashed(...files)[files.indexOf('shardwise-app.js')];
}

// What starts a program, of which boot.js asks for the wasm once the page is painted.
function starts(js) {
  return [`<script defer src="./boot.js" data-js="./${js}" data-wasm="./${wasmOf(js)}"></script>`, `<link rel="modulepreload" href="./${js}">`];
}

function wasmOf(js) {
  return js.replace(/\.js$/, '_bg.wasm');
}

function splitScript() {
  return readdirSync(site).find((file) => /^split-/.test(file));
}

// The files that a part is made of: it is named where it is loaded.
function filesOfPart(name) {
  const split = splitScript();
  return JSON.stringify(split ? partsOf(readFileSync(join(site, split), 'utf8'))[name] : []);
}

// Changes a name in all places of a file.
function rename(file, from, to) {
  const text = readFileSync(join(site, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not name ${from}`);
  writeFileSync(join(site, file), text.replaceAll(from, to));
}

// Writes a page: its folder, its root element's attributes, title and description, what its head has beside those of all
// pages, and its body, or what that of a program shows until it is there.
function writePage({ folder, root, title, description, head, body, first = '' }) {
  const depth = folder.split('/').filter(Boolean).length;
  const marks = {
    ROOT: `${root}${built}`, TITLE: title, DESCRIPTION: description, HEAD: head.join('\n'), FIRST: first, EARLY: early,
    BASE: depth > 0 ? `<base href="${'../'.repeat(depth)}">` : '',
  };
  const [before, shown, after] = frame;
  mkdirSync(join(site, folder), { recursive: true });
  writeFileSync(join(site, folder, 'index.html'), `${filled(before, marks)}${body ?? filled(shown, marks)}${after}`);
}

// A text with what its marks stand for.
function filled(text, marks) {
  return text.replace(/@([A-Z]+)@/g, (mark, name) => {
    if (name in marks) return marks[name];
    throw new Error(`nothing is known of ${mark}`);
  });
}

// Writes a page of a program, and then once more with what a first visit is shown before any program is there: the
// calculator's first answer, or how accurate it is.
function writeProgram(page) {
  writePage(page);
  const answers = ['en', 'zh-CN'].map((tag) => `<div class="boot-first" lang="${tag}" inert>${drawn('first-answer.mjs', tag, page.folder)}</div>`);
  writePage({ ...page, first: answers.join('\n  ') });
}

// What a script of this folder has a program draw.
function drawn(script, ...words) {
  return execFileSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), site, ...words], { encoding: 'utf8' });
}

function writeCalculator(js) {
  const split = splitScript();
  writeProgram({
    folder: '',
    root: `lang="en" data-worker="./${writeWorker(js)}" ${published.near}`,
    title: 'Shardwise: does it fit, how fast, what does it cost',
    description: 'A calculator for fine-tuning and RL-training language models: does it fit, how fast does it go, what does it cost on each GPU, and which flags to paste. Runs in the browser, offline.',
    // Its script asks for another as soon as it is read: both are asked for at once.
    head: [styles.all, ...starts(js), ...(split ? [`<link rel="modulepreload" href="./${split}">`] : [])],
  });
}

// The published runs, of which the accuracy page shows all, as attributes of a root element; and those of each kind of work, of
// which the calculator shows the nearest to a question of that kind (app/src/sheets/near.rs): what it reads of them.
function nameRuns() {
  const named = (name) => `data-${name}="${hashed(`${name}.json`)}"`;
  const works = { training: [], rl: [], generation: [] };
  for (const name of ['runs', 'generation']) {
    const all = JSON.parse(readFileSync(join(site, `${name}.json`), 'utf8'));
    if (!all.length) throw new Error(`public/${name}.json holds no runs`);
    for (const run of all) works[workOf(run)].push(shownOf(run));
  }
  const near = Object.entries(works).map(([work, rows]) => {
    writeFileSync(join(site, `near-${work}.json`), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
    return named(`near-${work}`);
  });
  return { all: ['runs', 'generation'].map(named).join(' '), near: near.join(' ') };
}

function workOf({ link }) {
  const [, kind] = /&workload\.kind=(\w+)/.exec(link);
  if (/^(pretrain|sft|lora|qlora|dpo|ipo|kto|orpo|simpo|reward_model)$/.test(kind)) return 'training';
  return kind === 'rollout' ? 'generation' : 'rl';
}

function shownOf({ url, group, model, framework, link, ...run }) {
  const quantities = ['speed', 'memory', 'generation', 'step'].filter((name) => run[name]);
  const pair = (name) => [name, { measured: run[name].measured, left_out: run[name].left_out }];
  return { url, group, model, framework, link, ...Object.fromEntries(quantities.map(pair)) };
}

// In a folder of its own: hosts that hide `.html` redirect such an address, and a redirected answer may not serve a navigation.
function writeAccuracy() {
  const data = (file) => JSON.parse(readFileSync(join(site, file), 'utf8'));
  if (!data('accuracy.json').figures?.length) throw new Error('public/accuracy.json holds no figures');
  const [js] = hashed('accuracy.js', 'accuracy_bg.wasm');
  const [overview] = hashed('accuracy.json');
  writeProgram({
    folder: 'accuracy',
    root: `lang="en" data-overview="${overview}" ${published.all}`,
    title: 'Shardwise: how accurate is it?',
    description: 'Predicted against measured throughput and memory, for every published run that the calculator was compared with, each with its source.',
    // Its data are asked for with the program, which would ask for them last.
    head: [styles.errors, ...starts(js), `<link rel="preload" href="./${overview}" as="fetch" crossorigin>`],
  });
}

// What starts the program in a worker, under a hashed name.
function writeWorker(js) {
  const starter = readFileSync(new URL('./worker.js', import.meta.url), 'utf8');
  writeFileSync(join(site, 'worker.js'), filled(starter, { JS: js, WASM: wasmOf(js), ENGINE: filesOfPart('engine'), CHINESE: filesOfPart('chinese') }));
  const [name] = hashed('worker.js');
  return name;
}

// Pages of text in each language, which need no program.
function writeTexts() {
  const pages = [
    { document: 'methods', tag: 'en', folder: 'methods', title: 'Shardwise: every formula, with its source', description: 'What the calculator computes: every formula with its terms, its source, the code that computes it, and how far off its figures were on published runs.' },
    { document: 'methods', tag: 'zh-CN', folder: 'methods/zh', title: 'Shardwise：全部公式及其来源', description: '计算器所用的全部公式：各项含义、出处、对应的代码，以及在公开运行数据上的误差。' },
    { document: 'command-line', tag: 'en', folder: 'command-line', title: 'Shardwise: the command line', description: 'The calculator as one program without a browser: how to get it, how to ask it, and what each command does.' },
    { document: 'command-line', tag: 'zh-CN', folder: 'command-line/zh', title: 'Shardwise：命令行', description: '不需要浏览器的计算器程序：如何安装、如何提问，以及各命令的功能。' },
    { document: 'python', tag: 'en', folder: 'python', title: 'Shardwise: in Python', description: 'The calculator as a Python package: how to get it, how to ask it, and what each function returns.' },
    { document: 'python', tag: 'zh-CN', folder: 'python/zh', title: 'Shardwise：Python', description: '计算器的 Python 包：如何安装、如何提问，以及各函数的返回值。' },
    { document: 'embed', tag: 'en', folder: 'embed', title: 'Shardwise: in a page of yours', description: 'The calculator in documentation and other pages: Sphinx, MyST, MkDocs, React and MDX, or an element of HTML.' },
    { document: 'embed', tag: 'zh-CN', folder: 'embed/zh', title: 'Shardwise：嵌入网页', description: '在文档与其他网页中使用计算器：Sphinx、MyST、MkDocs、React 与 MDX，或一个 HTML 元素。' },
    { document: 'api', tag: 'en', folder: 'api', title: 'Shardwise: for programs and agents', description: 'Question and answer as JSON: the schema, links, JavaScript, coding agents, and the check before a run.' },
    { document: 'your-run', tag: 'en', folder: 'your-run', title: 'Shardwise: your run here', description: 'How a run that you measured becomes one of the published ones that every estimate is fitted on: its log, its script, and a line to hand in.' },
    { document: 'your-run', tag: 'zh-CN', folder: 'your-run/zh', title: 'Shardwise：提交你的运行', description: '如何让你测得的运行成为公开运行之一，供所有估算拟合：日志、脚本，以及一行可以提交的记录。' },
    { document: 'api', tag: 'zh-CN', folder: 'api/zh', title: 'Shardwise：接口', description: 'JSON 形式的问题与答案：Schema、链接、JavaScript、编程智能体，以及运行之前的检查。' },
  ];
  const head = [styles.all, styles.texts, '<script defer src="./boot.js"></script>'];
  for (const { document, tag, ...page } of pages) {
    writePage({ ...page, root: `lang="${tag}"`, head, body: `${drawn('text-page.mjs', document, tag, commit())}\n` });
  }
}

// Puts the digest of some files that belong together into the names of all, and where their scripts name each other: it is
// that of what was in them before.
function hashed(...files) {
  const bytes = Buffer.concat(files.map((file) => readFileSync(join(site, file))));
  const mark = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const marked = (file) => file.replace(/^[a-z-]+/, `$&-${mark}`);
  for (const file of files) {
    const to = join(site, marked(file));
    renameSync(join(site, file), to);
    if (!file.endsWith('.js')) continue;
    const text = readFileSync(to, 'utf8');
    writeFileSync(to, files.reduce((all, other) => all.replaceAll(`"./${other}"`, `"./${marked(other)}"`), text));
  }
  return files.map(marked);
}
