// The last step of the build, scripts/build-site.mjs's or Trunk's: joins the style sheets into one file, writes the accuracy
// page, what starts the worker that writes flags, the pages of text, which that program makes, and the service worker.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fetchFiles } from './fetch-files.mjs';
import { headersFile } from './hosting.mjs';
import { LICENSES, filesOf, writeServiceWorker } from './offline.mjs';

const site = process.env.TRUNK_STAGING_DIR;
if (!site) throw new Error('TRUNK_STAGING_DIR is not set: this script is the last step of scripts/build-site.mjs and of `trunk build`');

// The style sheets of the accuracy page, beside its own.
const OF_ACCURACY = ['tokens', 'base', 'boot', 'nav', 'form', 'verdict', 'chart', 'table', 'states'];

const digest = (bytes, algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding);

trimScripts();
joinStyles();
nameByDigest();
writeAccuracyPage();
const answer = await writeWorker();
await writeDocuments(answer);
preloadSplit();
writeFirstAnswers();
// What is compiled in may be passed on with its licences alone.
writeFileSync(join(site, LICENSES), execFileSync(process.execPath, [fileURLToPath(new URL('./licenses.mjs', import.meta.url)), 'site']));
writeFileSync(join(site, '_headers'), headersFile(filesOf(site)));
const { version, files } = writeServiceWorker(site);
console.log(`site ${version}: ${files.length} files cached for offline use`);

// Of the scripts that travel as they are written: all comments but the first line, and indentation, stay here.
function trimScripts() {
  for (const name of ['boot.js', 'early.js', 'embed.js', 'figure.js', 'frame.js']) {
    const [first, ...lines] = readFileSync(join(site, name), 'utf8').split('\n').map((line) => line.trim());
    const code = lines.filter((line) => !/^(\/\/|\/\*\*)/.test(line) && line !== '');
    writeFileSync(join(site, name), `${[first, ...code].join('\n')}\n`);
  }
}

// One request instead of a dozen. The order of the links is the order of the rules. Without an integrity
// attribute, which a sandboxed frame could not check; the service worker checks digests. The accuracy page has those that
// it needs: of more than 14 kB a first visit would get the rest a round trip later.
function joinStyles() {
  const link = /<link rel="stylesheet" href="\.\/([^"]+)"[^>]*>\n?/g;
  const page = join(site, 'index.html');
  const html = readFileSync(page, 'utf8');
  const files = [...html.matchAll(link)].map(([, file]) => file);
  if (files.length === 0) throw new Error('index.html links no style sheet');
  const read = (file) => readFileSync(join(site, file), 'utf8').replace(/\/\*[^]*?\*\//g, '');
  const joined = (some) => some.map(read).join('\n');
  // Trunk puts a digest behind their names.
  const own = files.filter((file) => OF_ACCURACY.includes(file.split(/[-.]/)[0]));
  if (own.length < OF_ACCURACY.length) throw new Error(`index.html links not all of ${OF_ACCURACY}`);
  const css = joined(files);
  writeFileSync(join(site, 'errors.css'), joined([...own, 'accuracy.css']));
  for (const file of files) rmSync(join(site, file));
  writeFileSync(join(site, 'style.css'), css);
  const [style] = hashed('style.css');
  let first = true;
  const linked = html.replace(link, () => {
    if (!first) return '';
    first = false;
    return `<link rel="stylesheet" href="./${style}">\n`;
  });
  writeFileSync(page, linked);
}

// Trunk names the program after its wasm before that is optimised, and charts are saved by a script without a mark. Hosts
// let browsers keep files with a digest in their names, so it must be that of what is in them; and a window of an earlier
// version asks for its own files (service-worker.js).
function nameByDigest() {
  const [program] = readdirSync(site).filter((file) => /^shardwise-app(-[0-9a-f]+)?\.js$/.test(file));
  const stem = program.replace(/\.js$/, '');
  for (const end of ['.js', '_bg.wasm']) renameSync(join(site, stem + end), join(site, `shardwise-app${end}`));
  // What the first answer does not need is cut out (scripts/build-site.mjs), or is in it.
  const cut = readdirSync(site).filter((file) => /^(engine|rest|shared-[a-z]|texts)_bg\.wasm$|^split\.js$/.test(file));
  const files = ['shardwise-app.js', 'shardwise-app_bg.wasm', ...cut].sort();
  const js = hashed(...files)[files.indexOf('shardwise-app.js')];
  rename('index.html', stem, js.replace(/\.js$/, ''));
  const [figure] = hashed('figure.js');
  rename('boot.js', 'figure.js', figure);
  const [early] = hashed('early.js');
  rename('index.html', 'early.js', early);
}

// The calculator's script asks for another as soon as it is read: both are asked for at once. No other page has them.
function preloadSplit() {
  const page = join(site, 'index.html');
  const split = splitScript();
  const html = readFileSync(page, 'utf8');
  if (split) writeFileSync(page, html.replace('</head>', `<link rel="modulepreload" href="./${split}"></head>`));
}

function splitScript() {
  return readdirSync(site).find((file) => /^split-/.test(file));
}

// The files that the engine's part is made of: it is named where it is loaded, with what it shares with others.
function engineParts() {
  const split = splitScript();
  if (!split) return [];
  const lines = readFileSync(join(site, split), 'utf8').split('\n');
  const file = (line) => line.match(/new URL\("(.*?)"/)[1];
  const own = lines.find((line) => line.startsWith('export const __wasm_split_load_engine ='));
  const shared = [...own.matchAll(/__chunk_\d+/g)].map(([name]) => lines.find((line) => line.startsWith(`const ${name} =`)));
  return [own, ...shared].map(file);
}

// Changes a name in all places of a file.
function rename(file, from, to) {
  const text = readFileSync(join(site, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not name ${from}`);
  writeFileSync(join(site, file), text.replaceAll(from, to));
}

// The accuracy page is the calculator's with another program, another style sheet and its data. In a folder of
// its own: hosts that hide `.html` redirect such an address, and a redirected answer may not serve a navigation.
function writeAccuracyPage() {
  const data = (file) => JSON.parse(readFileSync(join(site, file), 'utf8'));
  if (!data('accuracy.json').figures?.length) throw new Error('public/accuracy.json holds no figures');
  if (!data('runs.json').length || !data('generation.json').length) throw new Error('public/runs.json or generation.json holds no runs');
  const [program] = hashed('accuracy.js', 'accuracy_bg.wasm');
  const [style] = hashed('errors.css');
  hashed('accuracy.css');
  const [overview, runs, generation] = ['accuracy.json', 'runs.json', 'generation.json'].flatMap((file) => hashed(file));
  const title = 'Shardwise: how accurate is it?';
  const description = 'Predicted against measured throughput and memory, for every published run that the calculator was compared with, each with its source.';
  const root = `lang="en" data-overview="${overview}" data-runs="${runs}" data-generation="${generation}"`;
  writePage({ folder: 'accuracy', root, title, description, style }, (change) => {
    // Asked for with the program, which would ask for it last.
    change('</head>', `<link rel="preload" href="./${overview}" as="fetch" crossorigin></head>`);
    change(/<link rel="stylesheet" href="\.\/style-[^>]*>\n/, '');
    change(/(?<=")\.\/shardwise-app-[0-9a-f]+(?=(_bg\.wasm|\.js)")/g, `./${program.replace(/\.js$/, '')}`);
  });
  // The calculator looks for runs that are like the question.
  rename('index.html', '<html lang="en">', `<html lang="en" data-runs="./${runs}" data-generation="./${generation}">`);
}

// Another page made of index.html: its root element's attributes, title, description, one style sheet more, and what else
// is to change.
function writePage({ folder, root, title, description, style }, more) {
  let html = readFileSync(join(site, 'index.html'), 'utf8');
  const change = (pattern, by) => {
    if (html.search(pattern) < 0) throw new Error(`index.html has changed: nothing matches ${pattern}`);
    html = html.replace(pattern, () => by);
  };
  change(/<html [^>]*>/, `<html ${root}>`);
  change(/<meta charset="utf-8">/, `<meta charset="utf-8">\n<base href="${'../'.repeat(folder.split('/').length)}">`);
  change(/<title>.*<\/title>/, `<title>${title}</title>`);
  change(/<meta name="description" content="[^"]*">/, `<meta name="description" content="${description}">`);
  const [sheet] = html.match(/<link rel="stylesheet" [^>]*>/);
  change(sheet, `${sheet}\n<link rel="stylesheet" href="./${style}">`);
  more(change);
  mkdirSync(join(site, folder), { recursive: true });
  writeFileSync(join(site, folder, 'index.html'), html);
}

// What starts the program in a worker, under a hashed name that the page says; and the program itself, for this script.
async function writeWorker() {
  const [js, wasm] = readdirSync(site).filter((file) => /^shardwise-app-/.test(file)).sort();
  const starter = readFileSync(new URL('./worker.js', import.meta.url), 'utf8').replace('@JS@', js).replace('@WASM@', wasm).replace('@PARTS@', JSON.stringify(engineParts()));
  if (/@[A-Z]+@/.test(starter)) throw new Error('worker.js has changed its marks');
  writeFileSync(join(site, 'worker.js'), starter);
  const [name] = hashed('worker.js');
  rename('index.html', '<html lang="en"', `<html lang="en" data-worker="./${name}"`);
  const program = await import(pathToFileURL(join(site, js)).href);
  fetchFiles();
  program.initSync({ module: readFileSync(join(site, wasm)) });
  return program.answer;
}

// What a first visit is shown, as it is drawn, before any program is there: the calculator's first answer, and how accurate it is.
function writeFirstAnswers() {
  const place = /  <!-- The build puts the first answer here.*-->\n/;
  const script = fileURLToPath(new URL('./first-answer.mjs', import.meta.url));
  for (const folder of ['', 'accuracy']) {
    const page = join(site, folder, 'index.html');
    const html = readFileSync(page, 'utf8');
    if (!place.test(html)) throw new Error('index.html has changed: it has no place for the first answer');
    const answers = ['en', 'zh-CN'].map((tag) => {
      const markup = execFileSync(process.execPath, [script, site, tag, folder], { encoding: 'utf8' });
      return `  <div class="boot-first" lang="${tag}" inert>${markup}</div>\n`;
    });
    writeFileSync(page, html.replace(place, () => answers.join('')));
  }
}

// A page of text in each language, without a program: the worker's program makes its body, which is written as markup
// here. All that is in it is ours; it is escaped like any text.
async function writeDocuments(answer) {
  const pages = [
    { document: 'methods', tag: 'en', folder: 'methods', title: 'Shardwise: every formula, with its source', description: 'What the calculator computes: every formula with its terms, its source, the code that computes it, and how far off its figures were on published runs.' },
    { document: 'methods', tag: 'zh-CN', folder: 'methods/zh', title: 'Shardwise：全部公式及其来源', description: '计算器所用的全部公式：各项含义、出处、对应的代码，以及在公开运行数据上的误差。' },
    { document: 'command-line', tag: 'en', folder: 'command-line', title: 'Shardwise: the command line', description: 'The calculator as one program without a browser: how to get it, how to ask it, and what each command does.' },
    { document: 'command-line', tag: 'zh-CN', folder: 'command-line/zh', title: 'Shardwise：命令行', description: '不需要浏览器的计算器程序：如何安装、如何提问，以及各命令的功能。' },
  ];
  const [style] = readdirSync(site).filter((file) => /^accuracy-[0-9a-f]+\.css$/.test(file));
  for (const { document, tag, folder, title, description } of pages) {
    const reply = JSON.parse(await answer(JSON.stringify({ id: 1, task: { is: 'document', document, lang: tag } })));
    if (!Array.isArray(reply.result)) throw new Error(`the program of the texts made no page ${folder}`);
    writePage({ folder, root: `lang="${tag}"`, title, description, style }, (change) => {
      change(/<script defer [^>]*><\/script>/, '<script defer src="./boot.js"></script>');
      change(/<link rel="modulepreload"[^>]*>/, '');
      change(/<body>[\s\S]*<\/body>/, `<body>\n${markup(reply.result)}\n</body>`);
      change(/^<!--.*-->\n/gm, '');
    });
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
  const begin = `<${tag}${attributes.map(([key, value]) => ` ${key}="${escape(value)}"`).join('')}>`;
  return tag === 'input' ? begin : `${begin}${children.join('')}</${tag}>`;
}

// Puts the digest of some files that belong together into the names of all, and where their scripts name each other: it is
// that of what was in them before.
function hashed(...files) {
  const mark = digest(Buffer.concat(files.map((file) => readFileSync(join(site, file)))), 'sha256', 'hex').slice(0, 16);
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
