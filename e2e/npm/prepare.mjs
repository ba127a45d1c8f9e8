// Before the tests: what the command line answers, and projects that have the packed package installed.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsOf } from './cases.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
export const TARGET = join(HERE, '../../target');
export const OUT = join(HERE, '../out/npm');
export const TOOLS = join(HERE, 'node_modules/.bin');

// The command line's lines, one for each input.
function answered({ call, args, inputs }) {
  const command = (more, input) => {
    const run = spawnSync(join(TARGET, 'fast/shardwise'), [call, ...args, ...more], { input, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (run.error || run.status > 1) throw run.error ?? new Error(`shardwise ${call} ${args.join(' ')}: ${run.stderr}`);
    return run.stdout;
  };
  if (call !== 'read') return command([], `${inputs.join('\n')}\n`).trimEnd().split('\n');
  return inputs.map((texts) => {
    const files = texts.map((text, at) => {
      const file = join(OUT, `text-${at}`);
      writeFileSync(file, text);
      return file;
    });
    return command(files).trimEnd();
  });
}

export default function prepare() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(join(OUT, 'www'), { recursive: true });
  const cases = [];
  const lines = [];
  for (const run of runsOf) {
    const own = answered(run);
    if (own.length !== run.inputs.length) throw new Error(`shardwise ${run.call}: ${run.inputs.length} questions, ${own.length} lines`);
    cases.push(...run.inputs.map((input) => ({ call: run.call, input, options: run.options })));
    lines.push(...own);
  }
  writeFileSync(join(OUT, 'www/cases.json'), JSON.stringify(cases));
  writeFileSync(join(OUT, 'command-line.jsonl'), `${lines.join('\n')}\n`);

  const [tarball] = readdirSync(TARGET).filter((file) => /^shardwise-.*\.tgz$/.test(file));
  if (!tarball) throw new Error('There is no package in target/. Run: make npm');
  for (const project of ['node', 'vite', 'types']) {
    const folder = join(OUT, project);
    cpSync(join(HERE, project), folder, { recursive: true });
    execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error', join(TARGET, tarball)], { cwd: folder });
  }
  // The same page without a bundler: the package's files as they are, beside it.
  const plain = join(OUT, 'www/plain');
  cpSync(join(HERE, 'vite/index.html'), join(plain, 'index.html'));
  cpSync(join(OUT, 'node/node_modules/shardwise'), join(plain, 'shardwise'), { recursive: true });
  const page = readFileSync(join(HERE, 'vite/main.js'), 'utf8');
  writeFileSync(join(plain, 'main.js'), page.replace("'shardwise'", "'./shardwise/index.js'"));
}
