// Trunk's last step: joins the style sheets into one file and writes the service worker.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const site = process.env.TRUNK_STAGING_DIR;
if (!site) throw new Error('TRUNK_STAGING_DIR is not set: this script runs as a hook of `trunk build`');

const digest = (bytes, algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding);

// Never served from the cache: the worker itself, what other sites load, what hosts and readers of the README use.
const NOT_CACHED = new Set(['sw.js', 'embed.js', '_headers', 'screenshot.png']);

joinStyles();
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
