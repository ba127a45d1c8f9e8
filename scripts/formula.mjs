// Writes the Homebrew formula of a release, of its checksums.
//
//   node scripts/formula.mjs SHA256SUMS HOMEPAGE DOWNLOADS > shardwise.rb
//
// HOMEPAGE is the project's address, DOWNLOADS that of the folder which has the release's archives.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TEMPLATE = fileURLToPath(new URL('../deploy/homebrew/shardwise.rb', import.meta.url));

export function formula(sums, homepage, downloads) {
  const digests = new Map(sums.trimEnd().split('\n').map((line) => {
    const found = /^([0-9a-f]{64})  (\S+)$/.exec(line);
    if (!found) throw new Error(`no line of sha256sum: ${line}`);
    return [found[2], found[1]];
  }));
  for (const [name, address] of Object.entries({ homepage, downloads })) if (!/^https:\/\/[\w./-]+$/.test(address)) throw new Error(`${name}: ${address} is no https address`);
  const named = [...digests.keys()].map((file) => /^shardwise-(\d[^-]*)-.*\.tar\.gz$/.exec(file)?.[1]).filter(Boolean);
  const [version] = named;
  if (new Set(named).size !== 1) throw new Error('the checksums are of no version, or of several');
  return readFileSync(TEMPLATE, 'utf8').replace(/@([A-Z0-9]+)(?::([\w-]+))?@/g, (mark, name, target) => {
    const value = { HOMEPAGE: homepage, DOWNLOADS: downloads, VERSION: version, SHA256: digests.get(`shardwise-${version}-${target}.tar.gz`) }[name];
    if (!value) throw new Error(`nothing is known of ${mark}: the checksums lack its archive`);
    return value;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, homepage, downloads] = process.argv.slice(2);
  process.stdout.write(formula(readFileSync(file, 'utf8'), homepage, downloads.replace(/\/$/, '')));
}
