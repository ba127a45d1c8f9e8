// The packed package, as its users have it: every answer is the command line's, byte by byte.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../fixtures.mjs';
import { serve } from '../serve.mjs';
import { questions, story } from './cases.mjs';
import { OUT, TARGET, TOOLS } from './prepare.mjs';
import { checker } from './schema.mjs';

const cases = join(OUT, 'www/cases.json');
const lines = join(OUT, 'command-line.jsonl');
const told = () => readFileSync(lines, 'utf8');
const run = (project, command, ...args) => execFileSync(command, args, { cwd: join(OUT, project), encoding: 'utf8' });

test('the questions are of every kind', () => {
  const answers = told().split('\n', questions.length).map((line) => JSON.parse(line));
  const refused = answers.filter((answer) => answer.error).length;
  expect(questions).toHaveLength(100);
  expect([refused >= 15, refused <= 30]).toEqual([true, true]);
  const answered = questions.filter((_, at) => !answers[at].error).map((question) => JSON.parse(question));
  expect(new Set(answered.map((question) => question.workload.kind)).size).toBe(16);
  expect(answered.filter((question) => !question.plan).length).toBeGreaterThan(15);
  expect(answers.some((answer) => answer.fits === false)).toBe(true);
});

test('the cheapest LoRA within a day is the one of the command line and of the core\'s own test', () => {
  const asked = JSON.parse(readFileSync(cases, 'utf8'));
  const first = JSON.parse(told().split('\n')[asked.findIndex(({ call, input }) => call === 'search' && input === story)]).offers[0];
  const { offer, run: { hours, usd } } = first.answer;
  const said = `  ${offer.provider} ${offer.instance} (${offer.region}, ${offer.kind}) x ${offer.instances}: ${first.gpus} ${first.gpu}, ${hours.toFixed(2)} h, ${usd.toFixed(2)} USD`;
  const recorded = readFileSync(fileURLToPath(new URL('../../core/tests/cases/market/deadline.txt', import.meta.url)), 'utf8');
  expect(recorded.split('\n')[1]).toBe(said);
});

test('a Node script has the lines of the command line', () => {
  const own = join(OUT, 'node.jsonl');
  run('node', 'node', 'answers.js', cases, own);
  expect(readFileSync(own).equals(readFileSync(lines))).toBe(true);
});

// The program as npx starts it in a project that has the package, without a network.
function npx(input, ...args) {
  const { stdout, stderr, status } = spawnSync('npx', ['--no', '--offline', 'shardwise', ...args], { cwd: join(OUT, 'node'), input, encoding: 'utf8', maxBuffer: 1 << 30 });
  return { stdout, stderr, status };
}

test('npx shardwise prints the lines of the command line', () => {
  const file = join(OUT, 'questions.jsonl');
  writeFileSync(file, `${questions.join('\n')}\n`);
  const all = npx('', 'estimate', file);
  expect(all.stdout.split('\n', questions.length)).toEqual(told().split('\n', questions.length));
  // Some of them are refused.
  expect(all.status).toBe(1);
  const [question] = questions;
  expect(npx(question, 'estimate').status).toBe(0);
  const searched = JSON.parse(npx(question, 'search', '--limit', '2', '--gpu', 'h100-sxm,h200-sxm', '--lang', 'zh').stdout);
  expect(searched.offers.map(({ gpu }) => gpu).sort()).toEqual(['h100-sxm', 'h200-sxm']);
  const flags = ['flags', '--for', 'deepspeed', '--lang', 'zh'];
  const text = npx(story, ...flags);
  expect(text.stdout).toBe(spawnSync(join(TARGET, 'fast/shardwise'), flags, { input: story, encoding: 'utf8' }).stdout);
  expect(JSON.parse(npx(text.stdout, 'read', '--gpu', 'h200-sxm').stdout).question.hardware.gpu).toBe('h200-sxm');
  expect(npx('', 'catalog', 'nodes').stdout).toContain('{"name":"DGX H100"');
});

test('npx shardwise says how it is called', () => {
  for (const [args, says] of [
    [['estimate', 'no-such-file'], 'no-such-file: there is no such file.'],
    [['flags'], '--for is missing'],
    [['estimate', '--gpus', '8'], "Unknown option '--gpus'"],
    [['search', '--limit', 'two'], '--limit: two is no number.'],
    [['catalog', 'cars'], 'Unknown value cars'],
    [['catalog'], 'Name one table'],
    [['constructor'], 'There is no command constructor.'],
  ]) {
    const { stdout, stderr, status } = npx('', ...args);
    expect([stdout, status]).toEqual(['', 2]);
    expect(stderr).toContain(`shardwise: ${says}`);
  }
  expect(npx('', '--help')).toMatchObject({ stderr: '', status: 0 });
  expect(npx('', '--version').stdout).toMatch(/^shardwise \d+\.\d+\.\d+\n$/);
});

test('the functions say in objects what the lines say', () => {
  expect(run('node', 'node', 'objects.js', cases, lines)).toMatch(/^\d+ answers are the same/);
});

test('the component for React is a file of it, and loads none of the program', () => {
  const at = run('node', 'node', '--input-type=module', '-e', "process.stdout.write(import.meta.resolve('shardwise/react'))");
  const text = readFileSync(fileURLToPath(at), 'utf8');
  expect([...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from)).toEqual(['react']);
  expect(readFileSync(fileURLToPath(at.replace(/\.js$/, '.d.ts')), 'utf8')).toContain('export default function Shardwise');
});

test.describe('in a page', () => {
  let site;
  test.beforeAll(async () => {
    run('vite', join(TOOLS, 'vite'), 'build', '--base', './', '--outDir', join(OUT, 'www/vite'), '--emptyOutDir', '--logLevel', 'warn');
    site = await serve({ dir: join(OUT, 'www'), port: Number(new URL(test.info().project.use.baseURL).port) });
  });
  test.afterAll(() => site.stop());

  for (const project of ['vite', 'plain']) {
    test(`${project}: the lines of the command line, under a strict policy`, async ({ page }) => {
      await page.goto(`/${project}/`);
      await expect(page.locator('#done')).toHaveText(/^\d+$/, { timeout: 600_000 });
      const { said, lines: own } = await page.evaluate(() => window.told);
      expect(said).toEqual(['Shardwise is not loaded yet: await init() first.']);
      expect(`${own.join('\n')}\n` === told()).toBe(true);
    });
  }

  test('vite: the program is a file of its own, with its digest in the name', () => {
    const files = readdirSync(join(OUT, 'www/vite/assets'));
    expect(files.filter((file) => /^shardwise_bg-.{8}\.wasm$/.test(file))).toHaveLength(1);
  });
});

test("vite's development server finds the program, as the README says", async ({ page, baseURL }) => {
  const { port } = new URL(baseURL);
  const server = spawn(join(TOOLS, 'vite'), ['--host', '127.0.0.1', '--port', port, '--strictPort'], { cwd: join(OUT, 'vite'), stdio: 'pipe' });
  try {
    await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
    const few = JSON.parse(readFileSync(cases, 'utf8')).slice(0, 3);
    await page.route('**/cases.json', (route) => route.fulfill({ json: few }));
    await page.goto('/');
    await expect(page.locator('#done')).toHaveText('3');
    const { lines: own } = await page.evaluate(() => window.told);
    expect(own).toEqual(told().split('\n', 3));
  } finally {
    server.kill();
  }
});

test('the types hold for an example of every function, and for every answer', () => {
  const asked = JSON.parse(readFileSync(cases, 'utf8'));
  const answers = told().trimEnd().split('\n');
  const types = { estimate: 'Answer | Refusal', search: 'Plans | Offers | Refusal', flags: 'Snippets | Unavailable | Refusal', read: 'ReadText | Unread' };
  const checked = asked.map(({ call }, at) => `(${answers[at]}) satisfies ${types[call]};`);
  const questions = asked.filter(({ call }, at) => call === 'estimate' && !JSON.parse(answers[at]).error).map(({ input }) => `(${input}) satisfies Question;`);
  const names = ['Question', ...new Set(Object.values(types).flatMap((one) => one.split(' | ')))];
  writeFileSync(join(OUT, 'types/answers.ts'), `import type { ${names.join(', ')} } from 'shardwise';\n${[...checked, ...questions].join('\n')}\n`);
  const compile = (...options) => run('types', join(TOOLS, 'tsc'), '--noEmit', '--strict', '--target', 'es2022', ...options);
  compile('--module', 'nodenext', 'example.ts', 'answers.ts');
  compile('--module', 'es2022', '--moduleResolution', 'bundler', 'example.ts');
});

test('every answer is what the schema says, and no more', () => {
  const wrong = checker(JSON.parse(readFileSync(join(OUT, 'types/node_modules/shardwise/schema.json'), 'utf8')));
  const answers = told().trimEnd().split('\n').map((line) => JSON.parse(line));
  const name = (call, answer) => {
    if (answer.error) return call === 'read' ? 'Unread' : 'Refusal';
    if (call === 'search') return answer.plans ? 'Plans' : 'Offers';
    return { estimate: 'Answer', flags: 'Flags', read: 'ReadText' }[call];
  };
  const asked = JSON.parse(readFileSync(cases, 'utf8'));
  asked.forEach(({ call, input }, at) => {
    expect(wrong(name(call, answers[at]), answers[at])).toBe('');
    if (call !== 'read' && !answers[at].error) expect(wrong('Question', JSON.parse(input))).toBe('');
  });
  expect(wrong('Answer', { ...answers[0], more: 1 })).toContain('additional properties');
  expect(wrong('Question', {})).toContain('required');
});
