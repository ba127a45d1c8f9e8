// Packs the built site for hosts: target/release-site/shardwise-site-<version>.tar.gz, the same bytes from the same site.
//
//   node scripts/release-site.mjs [--to FOLDER]
//
// In the archive: site/ with a .br and a .gz beside each text, deploy/ with hosts' configurations, the licences,
// SECURITY.md, and SHA256SUMS of all of them.

import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import { COMPRESSED } from './hosting.mjs';
import { filesOf } from './offline.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const ENDINGS = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes) => gzipSync(bytes, { level: 9 }),
};

async function compress(path) {
  const bytes = readFileSync(path);
  for (const [ending, squeeze] of Object.entries(ENDINGS)) {
    const small = await squeeze(bytes);
    if (small.length < bytes.length) writeFileSync(`${path}.${ending}`, small);
  }
}

function sums(folder) {
  const digest = (file) => createHash('sha256').update(readFileSync(join(folder, file))).digest('hex');
  return filesOf(folder).map((file) => `${digest(file)}  ${file}\n`).join('');
}

/** Puts a folder into an archive beside it; the same files make the same bytes, whenever and whoever packs them. */
export function pack(folder) {
  const tar = execFileSync('tar', [
    '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=ustar',
    '-C', dirname(folder), '-c', basename(folder),
  ], { maxBuffer: 1 << 28 });
  const archive = `${folder}.tar.gz`;
  writeFileSync(archive, gzipSync(tar, { level: 9 }));
  return archive;
}

export async function release(to = join(ROOT, 'target/release-site')) {
  if (!existsSync(join(ROOT, 'dist/index.html'))) throw new Error('dist/ has no site: make build');
  const [, version] = /^version = "([^"]+)"/m.exec(readFileSync(join(ROOT, 'Cargo.toml'), 'utf8'));
  const name = `shardwise-site-${version}`;
  const folder = join(to, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(folder, 'site'), { recursive: true });
  const texts = filesOf(join(folder, 'site')).filter((file) => COMPRESSED.has(extname(file).slice(1)));
  await Promise.all(texts.map((file) => compress(join(folder, 'site', file))));
  for (const part of ['deploy', 'LICENSE-APACHE', 'LICENSE-MIT', 'SECURITY.md']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'SHA256SUMS'), sums(folder));
  return pack(folder);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { to: { type: 'string' } } });
  const archive = await release(values.to && resolve(values.to));
  console.log(`${archive}: ${(statSync(archive).size / 1e6).toFixed(1)} MB`);
}
