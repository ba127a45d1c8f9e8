#!/usr/bin/env node
// `npx shardwise`: the package's functions as commands, which print what the command line of Rust prints.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build, catalog, json } from './node.js';

const LANG = { lang: { type: 'string' } };
const COMMANDS = {
  estimate: { about: 'Fit, speed, cost and memory of each question', options: { ...LANG, 'no-advice': { type: 'boolean' } }, run: each('estimate') },
  search: {
    about: 'The best plans of each question; with --gpu or --gpus the best of every GPU type',
    options: {
      ...LANG, by: { type: 'string' }, gpu: { type: 'string' }, gpus: { type: 'string' }, 'within-hours': { type: 'string' },
      'within-usd': { type: 'string' }, for: { type: 'string' }, limit: { type: 'string' },
    },
    run: each('search'),
  },
  flags: { about: 'What to paste into a framework: --for verl', options: { ...LANG, for: { type: 'string' }, 'framework-version': { type: 'string' }, page: { type: 'string' }, json: { type: 'boolean' } }, run: flags },
  read: { about: 'A script or configuration back into a question, as JSON: --gpu h200-sxm run.sh', options: { ...LANG, gpu: { type: 'string' }, model: { type: 'string' }, json: { type: 'boolean' } }, run: read },
  catalog: { about: 'gpus, models, nodes, prices or offers, with their sources', options: {}, run: rows },
};

const HELP = `Shardwise ${build.version}: does it fit, how fast is it, what does it cost, and which flags to paste

Usage: shardwise COMMAND [OPTIONS] [FILE]...

${Object.entries(COMMANDS).map(([name, { about, options }]) => `  ${name.padEnd(9)} ${about}\n${' '.repeat(12)}${Object.keys(options).map((own) => `--${own}`).join(' ')}`.trimEnd()).join('\n')}

Questions are JSON documents, or JSON Lines, from files or from standard input. The program that is built from Rust has more commands
and is faster.`;

// What is wrong with how the program was called.
class Usage extends Error {}

const number = (name, text) => {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new Usage(`--${name}: ${text} is no number.`);
  return value;
};

// Options as the functions have them.
function chosen({ lang, by, gpu, gpus, limit, page, model, for: framework, ...rest }) {
  const own = {
    lang, by, page, model, framework,
    version: rest['framework-version'],
    gpu: gpu?.split(','),
    gpus: gpus?.split(',').map((text) => number('gpus', text)),
    limit: limit && number('limit', limit),
    within_hours: rest['within-hours'] && number('within-hours', rest['within-hours']),
    within_usd: rest['within-usd'] && number('within-usd', rest['within-usd']),
    advice: rest['no-advice'] ? false : undefined,
  };
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}

function text(file) {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Usage(`${file}: ${error.code === 'ENOENT' ? 'there is no such file.' : error.message}`);
  }
}

const isJson = (own) => {
  try {
    JSON.parse(own);
    return true;
  } catch {
    return false;
  }
};

// One question, or one a line.
function questions(files) {
  const all = (files.length > 0 ? files : ['-']).map(text);
  return all.flatMap((own) => {
    const lines = own.split('\n').filter((line) => line.trim() !== '');
    return lines.length > 1 && !isJson(own) && isJson(lines[0]) ? lines : [own];
  });
}

// Prints a line, and says whether it is an answer.
function printed(line) {
  console.log(line);
  return !line.startsWith('{"version":1,"error":');
}

function each(name) {
  return (values, files) => {
    const options = chosen(values);
    return questions(files).map((question) => printed(json[name](question, options))).every(Boolean);
  };
}

function flags(values, files) {
  if (!values.for) throw new Usage('--for is missing: the framework, for example --for verl.');
  const options = chosen(values);
  return questions(files).map((question) => {
    const line = json.flags(question, options);
    const { snippets, unsupported } = JSON.parse(line);
    if (unsupported && !values.json) throw new Usage(unsupported);
    return snippets && !values.json ? printed(snippets.map((own) => own.text).join('\n')) : printed(line);
  }).every(Boolean);
}

function read(values, files) {
  const { gpu: [gpu] = [], ...options } = chosen(values);
  return printed(json.read((files.length > 0 ? files : ['-']).map(text), gpu ? { ...options, gpu } : options));
}

function rows(_, [table, ...others]) {
  if (!table || others.length > 0) throw new Usage('Name one table: gpus, models, nodes, prices or offers.');
  try {
    for (const row of catalog(table)) console.log(JSON.stringify(row));
  } catch (error) {
    throw error instanceof RangeError ? new Usage(error.message) : error;
  }
  return true;
}

function main([name, ...rest]) {
  if (name === '--version' || name === '-V') return printed(`shardwise ${build.version}`);
  if (name === undefined || name === 'help' || rest.includes('--help') || name.startsWith('-')) {
    console.log(HELP);
    return ['help', '--help', '-h'].includes(name) || rest.includes('--help');
  }
  const command = Object.hasOwn(COMMANDS, name) && COMMANDS[name];
  if (!command) throw new Usage(`There is no command ${name}. Known here: ${Object.keys(COMMANDS).join(', ')}.`);
  const { values, positionals } = parseArgs({ args: rest, options: command.options, allowPositionals: true });
  return command.run(values, positionals);
}

try {
  process.exitCode = main(process.argv.slice(2)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof Usage) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`shardwise: ${error.message}`);
  process.exitCode = 2;
}
