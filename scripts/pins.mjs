// Checks that nothing is installed but what is pinned: npm packages by address and digest, Python packages by version; and
// that no package's own script runs. Crates are cargo-deny's (deny.toml). Called by scripts/lint.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REGISTRY = 'https://registry.npmjs.org/';

const problems = [];

// Tracked and new files; what git ignores is nobody's to keep.
function files(...patterns) {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns], { cwd: ROOT, encoding: 'utf8' });
  return [...new Set(list.split('\0'))].filter(Boolean);
}

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

function checkLock(file) {
  const { packages } = JSON.parse(read(file));
  if (!packages) return problems.push(`${file}: no list of packages; write it with npm 7 or newer`);
  for (const [name, entry] of Object.entries(packages)) {
    // The project itself, and what is packed from this repository.
    if (!name.includes('node_modules/') || entry.link || entry.resolved?.startsWith('file:')) continue;
    // Without an address it is the registry's by its name; npm leaves it out where it is told to.
    if (entry.resolved !== undefined && !entry.resolved.startsWith(REGISTRY)) problems.push(`${file}: ${name} comes from ${entry.resolved}`);
    if (!/^sha512-/.test(entry.integrity ?? '') && !entry.inBundle) problems.push(`${file}: ${name} has no digest`);
  }
}

// A pin goes on over lines that end in a backslash: the digests that its files may have.
function checkPins(file) {
  const lines = read(file).replaceAll('\\\n', '\v').split('\n');
  let at = 1;
  for (const line of lines) {
    const pin = line.replaceAll('\v', ' ').replace(/(^|\s)#.*/, '').trim();
    if (pin && !/^[\w.-]+(\[[\w,.-]+\])?==[\w.+!-]+(\s*;.*?)?(\s+--hash=sha256:[0-9a-f]{64})*$/.test(pin)) problems.push(`${file}:${at}: not one version: ${pin}`);
    at += line.split('\v').length;
  }
}

// In a shell (`npm ci --prefix e2e`) and in a program (`'npm', ['ci', …]`).
function checkCommands(file) {
  read(file).split('\n').forEach((line, at) => {
    if (/^\s*(#|\/\/)/.test(line)) return;
    if (/\bnpm['"]?[\s,['"]+(ci|install|i|add)\b/.test(line) && !line.includes('--ignore-scripts')) {
      problems.push(`${file}:${at + 1}: without --ignore-scripts: ${line.trim()}`);
    }
  });
}

const locks = files('*package-lock.json');
// What it works beside is installed by who uses it.
const manifests = files('*package.json').filter((file) => Object.keys(JSON.parse(read(file))).some((key) => /ependencies$/.test(key) && key !== 'peerDependencies'));
for (const file of manifests) {
  if (!locks.includes(file.replace(/package\.json$/, 'package-lock.json'))) problems.push(`${file}: names packages and has no package-lock.json`);
}
locks.forEach(checkLock);
files('*requirements*.txt', '*requirements/*.txt').forEach(checkPins);
files('Makefile', '.ci', 'scripts', 'e2e', 'app', ':!*.md', ':!*package-lock.json', ':!*.png', ':!scripts/pins.mjs').forEach(checkCommands);

for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
