// What a release says of itself: its part of CHANGELOG.md. Refuses what is not ready: a tag that is not the version's, a version without
// its day, or without the links that it will answer for ever (core/tests/data/links/).
//
//   node scripts/release-notes.mjs v0.1.0

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export function notes(tag, root = ROOT) {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const [, version] = /^version = "([^"]+)"/m.exec(read('Cargo.toml'));
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, the version in Cargo.toml ${version}: tag v${version}, or change the version`);
  const parts = read('CHANGELOG.md').split(/^(?=##? )/m);
  const part = parts.find((own) => own.startsWith(`## ${version}`));
  if (!part) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  const [head, ...text] = part.trim().split('\n');
  if (!/^## \S+, \d{4}-\d\d-\d\d$/.test(head)) throw new Error(`CHANGELOG.md: "${head}" names no day: ## ${version}, YYYY-MM-DD`);
  if (!existsSync(join(root, `core/tests/data/links/${version}.txt`))) throw new Error(`core/tests/data/links/${version}.txt is not there: the links of a release are kept with it`);
  return `${text.join('\n').trim()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(notes(process.argv[2]));
