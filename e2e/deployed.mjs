// A host of a test's own: a copy of the site that can be replaced by another version, and answers that go wrong.

import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HASHED, headersFile } from '../scripts/hosting.mjs';
import { filesOf, writeServiceWorker } from '../scripts/offline.mjs';
import { serve } from './serve.mjs';

const SITE = fileURLToPath(new URL('../dist', import.meta.url));

// What makes a file another one without a change of what it does.
const MARKS = {
  '.css': (mark) => `/* ${mark} */`,
  '.html': (mark) => `<!-- ${mark} -->`,
  '.js': (mark) => `// ${mark}`,
  '.json': () => '\n',
  '.svg': (mark) => `<!-- ${mark} -->`,
  '.webmanifest': () => '\n',
  '.png': (mark) => mark,
  // A custom section: its number, its length, the length of its name, its name.
  '.wasm': (mark) => Buffer.from([0, mark.length + 1, mark.length, ...Buffer.from(mark)]),
};

/**
 * Makes a site another version: every file has other bytes, hashed names are others, and the pages say `data-site`.
 * Without `worker`, the service worker stays the earlier version's.
 */
function makeVersion(dir, mark, { worker = true } = {}) {
  const before = readFileSync(join(dir, 'sw.js'));
  const names = [];
  for (const file of filesOf(dir).filter((name) => extname(name) in MARKS)) {
    const path = join(dir, file);
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from(MARKS[extname(file)](mark))]));
    const [, digest] = HASHED.exec(file) ?? [];
    if (digest) names.push([file, digest, createHash('sha256').update(digest + mark).digest('hex').slice(0, 16)]);
  }
  for (const file of filesOf(dir).filter((name) => /\.(html|js|css)$/.test(name))) {
    const path = join(dir, file);
    let text = readFileSync(path, 'utf8').replace(/<html (?:data-site="[^"]*" )?/, `<html data-site="${mark}" `);
    for (const [, digest, other] of names) text = text.replaceAll(digest, other);
    writeFileSync(path, text);
  }
  for (const [file, digest, other] of names) renameSync(join(dir, file), join(dir, file.replace(digest, other)));
  writeFileSync(join(dir, '_headers'), headersFile(filesOf(dir)));
  const made = writeServiceWorker(dir);
  if (!worker) writeFileSync(join(dir, 'sw.js'), before);
  return made;
}

/** Serves a copy of the site. `site.interfere` may answer in the host's place (e2e/serve.mjs). */
export async function deploy(at = '/') {
  const dir = mkdtempSync(join(tmpdir(), 'shardwise-'));
  const clear = () => rmSync(dir, { recursive: true, force: true });
  const site = { dir, interfere: null };
  cpSync(SITE, dir, { recursive: true });
  const { url, stop } = await serve({ dir, at, interfere: (file, response) => site.interfere?.(file, response) });
  return Object.assign(site, {
    url,
    publish: (mark, options) => makeVersion(dir, mark, options),
    /** The same files with a service worker that calls itself another version. */
    rename: (version) => {
      const worker = join(dir, 'sw.js');
      writeFileSync(worker, readFileSync(worker, 'utf8').replace(/VERSION = "[0-9a-f]+"/, `VERSION = "${version}"`));
    },
    stop: async () => {
      await stop();
      clear();
    },
  });
}
