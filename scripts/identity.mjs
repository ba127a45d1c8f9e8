// The commit of a build, as programs, packages and pages name it: what SHARDWISE_COMMIT says, or the first twelve digits of this
// folder's, with `-dirty` where a file of it was changed since; nothing where this is no clone, as in an archive of the sources.
//
//   node scripts/identity.mjs

import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What a build may be told of its commit. */
export const COMMIT = /^([0-9a-f]{7,40}(-dirty)?)?$/;

export function commit(root = ROOT, told = process.env.SHARDWISE_COMMIT) {
  const own = told ?? ofClone(root);
  if (!COMMIT.test(own)) throw new Error(`SHARDWISE_COMMIT is ${own}: it is 7 to 40 hexadecimal digits, or empty where no commit is to be named`);
  return own;
}

function ofClone(root) {
  const git = (...words) => {
    const { status, stdout } = spawnSync('git', ['-C', root, ...words], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  // Unpacked inside of another clone, that one's commit is not ours.
  const top = git('rev-parse', '--show-toplevel');
  if (!top || realpathSync(top) !== realpathSync(root)) return '';
  const head = git('rev-parse', '--short=12', 'HEAD');
  if (!head) return '';
  return git('status', '--porcelain', '--untracked-files=no') === '' ? head : `${head}-dirty`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(commit());
