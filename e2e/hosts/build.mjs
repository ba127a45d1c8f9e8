// Builds the pages that embed the calculator, each with its own tool, from the examples beside this file.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = resolve(HERE, '../..');
const OUT = resolve(HERE, '../out/hosts');
const PYTHON = join(ROOT, '.tools/hosts/bin/python');

const sphinx = (theme) => (out) => [PYTHON, ['-m', 'sphinx', '-q', '-W', '-E', '-d', `${out}-doctrees`, '-D', `html_theme=${theme}`, join(HERE, 'sphinx'), out]];

const TOOLS = {
  'sphinx-rtd': sphinx('sphinx_rtd_theme'),
  'sphinx-furo': sphinx('furo'),
  mkdocs: (out) => [PYTHON, ['-m', 'mkdocs', 'build', '-q', '-f', join(HERE, 'mkdocs/mkdocs.yml'), '-d', out]],
  docusaurus: (out) => [join(HERE, 'docusaurus/node_modules/.bin/docusaurus'), ['build', '--out-dir', out]],
};

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
  for (const end of ['', '-doctrees', '-python']) rmSync(out + end, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const [program, options] = TOOLS[name](out);
  // The tools ask nobody for newer versions of themselves.
  const quiet = { CI: 'true', NO_UPDATE_NOTIFIER: '1', NO_MKDOCS_2_WARNING: '1', DOCUSAURUS_NO_PERSISTENT_CACHE: '1' };
  const env = { ...process.env, ...quiet, SHARDWISE: site };
  if (program === PYTHON) env.PYTHONPATH = await packed(`${out}-python`);
  await promisify(execFile)(program, options, { cwd: join(HERE, name === 'docusaurus' ? name : '.'), env });
  // Chromium asks for it, whether the page has one or not.
  writeFileSync(join(out, 'favicon.ico'), '');
  return out;
}
