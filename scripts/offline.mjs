// Writes the service worker of a built site: with the digest of every file, so that what it keeps is this build, or nothing.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The licences of what is compiled in. */
export const LICENSES = 'THIRD-PARTY-LICENSES.txt';

// Never served from the cache: the worker itself, what other sites load, what hosts, installers, agents, editors and readers of the
// README use.
const NOT_CACHED = new Set(['sw.js', 'embed.js', '_headers', '404.html', 'llms.txt', 'schema.json', 'screenshot.png', LICENSES]);

/** Every file of a folder by its path, sorted. */
export function filesOf(site) {
  return readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(site, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join('/'))
    .sort();
}

export function writeServiceWorker(site) {
  const digest = (bytes, encoding) => createHash('sha256').update(bytes).digest(encoding);
  const files = filesOf(site)
    .filter((file) => !NOT_CACHED.has(file))
    .map((file) => [file, `sha256-${digest(readFileSync(join(site, file)), 'base64')}`]);
  // Its comments and its indentation are for us, not for every visitor.
  const template = readFileSync(new URL('./service-worker.js', import.meta.url), 'utf8').replace(/^ *(\/\/.*)?\n|^ +/gm, '');
  const version = digest(template + JSON.stringify(files), 'hex').slice(0, 16);
  const worker = template
    .replace("'@VERSION@'", JSON.stringify(version))
    .replace("'@FILES@'", JSON.stringify(files));
  if (/'@(VERSION|FILES)@'/.test(worker)) throw new Error('service-worker.js has changed its marks');
  writeFileSync(join(site, 'sw.js'), worker);
  return { version, files: files.map(([file]) => file) };
}
