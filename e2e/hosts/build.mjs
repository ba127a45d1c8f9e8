// Builds the pages that embed the calculator, each with its own tool, from the examples beside this file.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EXAMPLES, PLACE, added, writeExample } from './examples.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = resolve(HERE, '../..');
const OUT = resolve(HERE, '../out/hosts');
const PYTHON = join(ROOT, '.tools/hosts/bin/python');

const sphinx = (theme, source) => (out) => [
  PYTHON,
  ['-m', 'sphinx', '-q', '-W', '-E', '-d', `${out}-doctrees`, '-D', `html_theme=${theme}`, source ?? join(HERE, 'sphinx'), out],
];

// Quarto's part that matters here: the filter, run by Pandoc. Quarto itself is in no registry (README.md).
const PANDOC = 'import pypandoc, subprocess, sys; sys.exit(subprocess.call([pypandoc.get_pandoc_path(), *sys.argv[1:]]))';
const FILTER = join(ROOT, 'deploy/quarto/_extensions/shardwise/shardwise.lua');
function quarto(out, site) {
  mkdirSync(out, { recursive: true });
  writeFileSync(`${out}-site.yml`, `shardwise:\n  site: ${site}\n`);
  const words = ['--standalone', '--from', 'markdown', '--to', 'html5', '--metadata-file', `${out}-site.yml`, '--lua-filter', FILTER];
  return [PYTHON, ['-c', PANDOC, ...words, join(HERE, 'quarto/index.qmd'), '-o', join(out, 'index.html')]];
}

// A Space is its files.
function space(out, site) {
  cpSync(join(ROOT, 'deploy/space'), out, { recursive: true });
  const page = join(out, 'index.html');
  writeFileSync(page, readFileSync(page, 'utf8').replaceAll('https://your.host/shardwise/', site));
}

const TOOLS = {
  'sphinx-rtd': sphinx('sphinx_rtd_theme'),
  'sphinx-furo': sphinx('furo'),
  mkdocs: (out) => [PYTHON, ['-m', 'mkdocs', 'build', '--strict', '-f', join(HERE, 'mkdocs/mkdocs.yml'), '-d', out]],
  docusaurus: (out) => [join(HERE, 'docusaurus/node_modules/.bin/docusaurus'), ['build', '--out-dir', out]],
  mdx: (out) => [join(HERE, '../npm/node_modules/.bin/vite'), ['build', '--config', join(HERE, 'mdx/vite.config.mjs'), '--outDir', out, '--emptyOutDir', '--logLevel', 'error']],
  quarto,
  space,
  ...Object.fromEntries(Object.keys(EXAMPLES).map((name) => [`example-${name}`, (out, site) => example(name, out, site)])),
};

// DeepSpeed's pages are Markdown with HTML in it, which Jekyll leaves as it is.
function example(name, out, site) {
  const { patch, guide, conf } = EXAMPLES[name];
  if (!conf) {
    mkdirSync(out, { recursive: true });
    const [title, ...lines] = added(patch, guide);
    const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><body><h1>${title.replace(/^#+ /, '')}</h1>\n<p>${lines.join('\n')}`;
    writeFileSync(join(out, 'index.html'), page.replaceAll(PLACE, site));
    return undefined;
  }
  writeExample(name, `${out}-source`, site);
  return sphinx('sphinx_rtd_theme', `${out}-source`)(out);
}

/** The Python package as it is packed, in a folder where Python finds it. */
async function packed(to) {
  const wheels = join(ROOT, 'target/wheels');
  const [wheel] = readdirSync(wheels).filter((file) => file.endsWith('.whl'));
  if (!wheel) throw new Error('There is no wheel in target/wheels/. Run: make wheel');
  await promisify(execFile)(PYTHON, ['-m', 'zipfile', '-e', join(wheels, wheel), to]);
  return to;
}

/** Builds a page that loads embed.js from `site`; resolves to its folder. */
export async function build(name, site) {
  const out = join(OUT, name);
  for (const end of ['', '-doctrees', '-python', '-source']) rmSync(out + end, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const tool = TOOLS[name](out, site);
  // The tools ask nobody for newer versions of themselves.
  const quiet = { CI: 'true', NO_UPDATE_NOTIFIER: '1', NO_MKDOCS_2_WARNING: '1', DOCUSAURUS_NO_PERSISTENT_CACHE: '1' };
  const env = { ...process.env, ...quiet, SHARDWISE: site };
  if (tool) {
    const [program, options] = tool;
    if (program === PYTHON) Object.assign(env, { PYTHONPATH: await packed(`${out}-python`), QUARTO_PYTHON: PYTHON });
    await promisify(execFile)(program, options, { cwd: join(HERE, name === 'docusaurus' ? name : '.'), env });
  }
  // Chromium asks for it, whether the page has one or not.
  writeFileSync(join(out, 'favicon.ico'), '');
  return out;
}
