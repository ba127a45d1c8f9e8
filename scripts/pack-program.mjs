// Packs the command line for a platform: target/release-program/shardwise-VERSION-TARGET.tar.gz, the same bytes from the same program.
//
//   node scripts/pack-program.mjs TARGET [--to FOLDER]
//
// It is built before: cargo build --locked --profile fast -p shardwise-core --features serve --bin shardwise --target TARGET. In the
// archive: the program, its licences and those of what is compiled in, the crates as an SBOM, man pages and completions.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { tar } from './archive.mjs';
import { sbom } from './sbom.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// Of each shell, how it has what completes a program.
const COMPLETIONS = { bash: 'shardwise.bash', zsh: '_shardwise', fish: 'shardwise.fish', powershell: '_shardwise.ps1', elvish: 'shardwise.elv' };

/** The program that cargo has built for a target. */
export function programOf(target) {
  const folder = join(ROOT, process.env.CARGO_TARGET_DIR ?? 'target', target, 'fast');
  const program = join(folder, target.includes('windows') ? 'shardwise.exe' : 'shardwise');
  if (!existsSync(program)) throw new Error(`${program} is not there: cargo build --locked --profile fast -p shardwise-core --features serve --bin shardwise --target ${target}`);
  return program;
}

export function packProgram(target, to = join(ROOT, 'target/release-program')) {
  const program = programOf(target);
  const ask = (...words) => execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const [, version] = /^shardwise (\S+)/.exec(ask('--version'));
  const name = `shardwise-${version}-${target}`;
  const files = [
    { name: program.endsWith('.exe') ? 'shardwise.exe' : 'shardwise', bytes: readFileSync(program), mode: 0o755 },
    ...['LICENSE-APACHE', 'LICENSE-MIT'].map((file) => ({ name: file, bytes: readFileSync(join(ROOT, file)) })),
    { name: 'THIRD-PARTY-LICENSES.txt', bytes: execFileSync(process.execPath, [join(ROOT, 'scripts/licenses.mjs'), 'program'], { maxBuffer: 1 << 28 }) },
    { name: 'shardwise.cdx.json', bytes: Buffer.from(`${JSON.stringify(sbom('program', target), null, 1)}\n`) },
    ...Object.entries(COMPLETIONS).map(([shell, file]) => ({ name: `completions/${file}`, bytes: Buffer.from(ask('completions', shell)) })),
    ...manual(ask),
  ];
  mkdirSync(to, { recursive: true });
  const archive = join(to, `${name}.tar.gz`);
  writeFileSync(archive, gzipSync(tar(files.map((file) => ({ ...file, name: `${name}/${file.name}` }))), { level: 9 }));
  return archive;
}

function manual(ask) {
  const folder = mkdtempSync(join(tmpdir(), 'shardwise-man-'));
  ask('man', '--dir', folder);
  const pages = readdirSync(folder).sort().map((file) => ({ name: `man/${file}`, bytes: readFileSync(join(folder, file)) }));
  rmSync(folder, { recursive: true });
  return pages;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals: [target], values } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
  if (!target) {
    console.error('usage: node scripts/pack-program.mjs TARGET [--to FOLDER]');
    process.exit(2);
  }
  const archive = packProgram(target, values.to && resolve(values.to));
  console.log(`${archive}: ${(statSync(archive).size / 1e6).toFixed(1)} MB`);
}
