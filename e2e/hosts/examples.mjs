// The patches of deploy/examples as pages: what each adds, below a heading of ours, with the settings of its project that matter to
// it. The guides themselves stay where they are.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PATCHES = fileURLToPath(new URL('../../deploy/examples/', import.meta.url));
/** The address that the patches have, in whose place a site of one's own goes. */
export const PLACE = 'https://docs.example.org/shardwise/';

/** Each guide with its patch, and how its page begins. */
export const EXAMPLES = {
  verl: { patch: 'verl.patch', guide: 'docs/perf/perf_tuning.rst', conf: 'docs/conf.py', head: 'A guide\n=======\n' },
  'chatlearn-en': { patch: 'chatlearn.patch', guide: 'docs/en/tutorial/tuning_guide.md', conf: 'docs/en/conf.py', head: '# A guide\n\n## A back end\n' },
  'chatlearn-zh': { patch: 'chatlearn.patch', guide: 'docs/zh/tutorial/tuning_guide.md', conf: 'docs/zh/conf.py', head: '# 指南\n\n## 后端\n' },
  deepspeed: { patch: 'deepspeed.patch', guide: 'docs/_tutorials/zero.md', head: '' },
};

/** The lines that a patch adds to a file. */
export function added(patch, file) {
  const text = readFileSync(join(PATCHES, patch), 'utf8').replaceAll('\r\n', '\n');
  const [, own] = text.split(`+++ b/${file}\n`);
  if (!own) throw new Error(`${patch} has no ${file}`);
  const [hunks] = own.split('\ndiff --git ');
  return hunks.split('\n').filter((line) => line.startsWith('+')).map((line) => line.slice(1));
}

/** Writes the page of an example that Sphinx builds, and its settings, into a folder. */
export function writeExample(name, folder, site) {
  const { patch, guide, conf, head } = EXAMPLES[name];
  mkdirSync(folder, { recursive: true });
  const filled = (lines) => lines.join('\n').replaceAll(PLACE, site);
  const settings = added(patch, conf);
  const extensions = settings.filter((line) => /^\s+"/.test(line));
  const others = settings.filter((line) => !/^\s+"/.test(line));
  // What both projects have: the theme, and MyST beside reStructuredText.
  writeFileSync(join(folder, 'conf.py'), `project = "Host"\nhtml_theme = "sphinx_rtd_theme"\nextensions = [\n    "myst_parser",\n${extensions.join('\n')}\n]\n${filled(others)}\n`);
  const end = guide.slice(guide.lastIndexOf('.'));
  writeFileSync(join(folder, `index${end}`), `${head}\n${filled(added(patch, guide))}\n`);
}
