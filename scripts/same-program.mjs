// Holds two programs against each other: what they answer to every kind of question, and the page that they serve.
//
//   node scripts/same-program.mjs PROGRAM OTHER [RUNNER]    RUNNER starts the other where this machine cannot
//   node scripts/same-program.mjs PROGRAM                   prints the digest of each answer, for a comparison elsewhere

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { questions, runsOf } from '../e2e/npm/cases.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [program, other, ...runner] = process.argv.slice(2);
if (!program || runner.length > 1) throw new Error('usage: node scripts/same-program.mjs PROGRAM [OTHER [RUNNER]]');
const commands = [[program], ...(other ? [[...runner, other]] : [])];

const ask = ([command, ...before], words, input) => {
  const { status, stdout, stderr, error } = spawnSync(command, [...before, ...words], { cwd: ROOT, input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error) throw error;
  return `${status}\n${stdout}${stderr}`;
};

const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'same-program', version: '1' } };
const messages = [['initialize', initialize, 1], ['notifications/initialized'], ['tools/list', {}, 2]];

// Words of the command line, and what goes to its standard input.
const lines = runsOf.filter(({ call }) => call === 'flags').map(({ call, args, inputs }) => [[call, ...args], inputs.join('\n')]);
const scripts = ['verl-grpo-fsdp.run_verl.sh', 'megatron-lm-pretrain.run_megatron_lm.sh'].map((name) => `core/tests/golden/emit/${name}`);
const asked = [
  ...[['-V'], ['help'], ['help', 'search'], ['schema'], ['methods'], ['catalog', 'gpus'], ['catalog', 'offers'], ['man']].map((words) => [words, '']),
  ...['bash', 'zsh', 'fish', 'powershell', 'elvish'].map((shell) => [['completions', shell], '']),
  [['estimate'], questions.join('\n')],
  [['estimate', '--lang', 'zh'], questions.join('\r\n')],
  [['search'], questions.slice(0, 20).join('\n')],
  [['flags', '--for', 'verl', '--lang', 'zh'], questions.slice(0, 20).join('\n')],
  ...lines,
  ...['text', 'json', 'github', 'sarif', 'junit'].map((format) => [['check', ...scripts, '--format', format], '']),
  ...scripts.map((file) => [['read', '--all', file], '']),
  [['mcp'], messages.map(([method, params, id]) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`).join('')],
];

// The page that it serves: what a browser would load of it.
async function served([command, ...before]) {
  const child = spawn(command, [...before, 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const address = /http:\S+/.exec(line)[0];
  const load = async (path) => (await fetch(new URL(path, address))).text();
  const page = await load('');
  const others = [...page.matchAll(/ (?:src|href|data-wasm|data-worker)="([\w./-]+)"/g)].map(([, path]) => path).filter((path) => /\./.test(path));
  const all = [page, ...await Promise.all(others.map(load))];
  child.kill();
  if (!/<title>.*shardwise/i.test(page)) throw new Error('the page is none');
  return all.map((text, at) => [`file ${at} of the page`, text]);
}

const answersOf = async (command) => [...asked.map(([words, input]) => [words.join(' '), ask(command, words, input)]), ...await served(command)];

// The lines of two answers that differ, and the first of them.
function difference(one, two) {
  const [own, theirs] = [one, two].map((text) => text.split('\n'));
  const apart = own.flatMap((line, at) => (line === theirs[at] ? [] : [at]));
  const from = Math.max(0, [...own[apart[0]] ?? ''].findIndex((letter, at) => letter !== theirs[apart[0]]?.[at]) - 40);
  const near = (list) => (list[apart[0]] ?? '').slice(from, from + 160);
  return `${apart.length} of ${own.length} lines (${theirs.length}) differ\n  ${near(own)}\n  ${near(theirs)}`;
}

const [own, theirs] = await Promise.all(commands.map(answersOf));
if (!theirs) for (const [what, text] of own) console.log(`${createHash('sha256').update(text).digest('hex')}  ${what}`);
else {
  const apart = own.flatMap(([what, text], at) => (text === theirs[at]?.[1] ? [] : [`${what}: ${difference(text, theirs[at]?.[1] ?? '')}`]));
  if (own.length !== theirs.length) apart.push(`${own.length} answers and files, and ${theirs.length}`);
  for (const one of apart) console.error(one);
  if (apart.length > 0) process.exit(1);
  console.log(`${own.length} answers and files are the same`);
}
