// Holds two programs against each other: what they answer to every kind of question, and the page that they serve.
//
//   node scripts/same-program.mjs PROGRAM OTHER

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { questions } from '../e2e/npm/cases.mjs';

const programs = process.argv.slice(2);
if (programs.length !== 2) throw new Error('usage: node scripts/same-program.mjs PROGRAM OTHER');
let compared = 0;

function same(what, [one, other]) {
  if (one !== other) throw new Error(`${what}: ${String(one).slice(0, 300)}\nand not ${String(other).slice(0, 300)}`);
  compared += 1;
}

const ask = (program, words, input) => {
  const { status, stdout, stderr, error } = spawnSync(program, words, { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error) throw error;
  return `${status}\n${stdout}${stderr}`;
};
for (const words of [['-V'], ['help'], ['schema'], ['methods'], ['catalog', 'gpus'], ['catalog', 'offers'], ['estimate'], ['search'], ['flags', '--for', 'verl', '--lang', 'zh']]) {
  const input = ['estimate', 'search', 'flags'].includes(words[0]) ? questions.slice(0, words[0] === 'estimate' ? undefined : 20).join('\n') : '';
  same(words.join(' '), programs.map((program) => ask(program, words, input)));
}

// Each serves its page: what a browser would load of it.
const pages = await Promise.all(programs.map(async (program) => {
  const child = spawn(program, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const address = /http:\S+/.exec(line)[0];
  const load = async (path) => (await fetch(new URL(path, address))).text();
  const page = await load('');
  const others = [...page.matchAll(/ (?:src|href|data-wasm|data-worker)="([\w./-]+)"/g)].map(([, path]) => path).filter((path) => /\./.test(path));
  const all = [page, ...await Promise.all(others.map(load))];
  child.kill();
  return all;
}));
if (!pages[0][0].includes('<title>Shardwise')) throw new Error('the page is none');
same('files of the page', pages.map((page) => page.length));
pages[0].forEach((_, at) => same(`file ${at} of the page`, pages.map((page) => page[at])));
console.log(`${compared} answers and files are the same`);
