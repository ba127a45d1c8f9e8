// What runs `shardwise check` for others: the action's steps, the hook, and the script in front of a scheduler, each as its host
// runs it.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { expect, test } from '../fixtures.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'target/fast/shardwise');
const ACTION = join(ROOT, 'deploy/check');

const script = (micro) => `#!/usr/bin/env bash
#SBATCH --nodes=1
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.train_batch_size=256 data.max_prompt_length=1024 data.max_response_length=3072 trainer.total_training_steps=100 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=${micro} \\
    actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.nnodes=1
`;

let folder;
test.beforeEach(() => {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there: make cli`);
  folder = mkdtempSync(join(tmpdir(), 'shardwise-check-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'scripts/more'), { recursive: true });
  execFileSync('ln', ['-s', PROGRAM, join(folder, 'bin/shardwise')]);
  writeFileSync(join(folder, 'scripts/fits.sh'), script(2));
  writeFileSync(join(folder, 'scripts/more/large.sh'), script(64));
  writeFileSync(join(folder, 'scripts/other.sh'), '#!/bin/sh\nls\n');
});
test.afterEach(() => rmSync(folder, { recursive: true }));

const path = () => `${join(folder, 'bin')}:${process.env.PATH}`;

/** Runs the steps of the action as a runner does: inputs with their defaults into expressions, these into the environment. */
function action(inputs) {
  const own = parse(readFileSync(join(ACTION, 'action.yml'), 'utf8'));
  for (const name of Object.keys(inputs)) expect(own.inputs, name).toHaveProperty(name);
  const values = Object.fromEntries(Object.entries(own.inputs).map(([name, { default: usual }]) => [name, inputs[name] ?? usual ?? '']));
  const filled = (text) => text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => values[name]);
  const [output, summary] = ['output', 'summary'].map((name) => join(folder, name));
  writeFileSync(output, '');
  writeFileSync(summary, '');
  let log = '';
  for (const step of own.runs.steps) {
    if (step.if) {
      // The one condition there is: an input that is not empty.
      const [, name] = /^\$\{\{ inputs\.([\w-]+) != '' \}\}$/.exec(step.if);
      if (values[name] === '') continue;
    }
    expect(step.shell).toBe('bash');
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]));
    // As https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax has `shell: bash`.
    const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: folder,
      encoding: 'utf8',
      env: { HOME: process.env.HOME, PATH: path(), GITHUB_ACTION_PATH: ACTION, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, ...env },
    });
    log += ran.stdout + ran.stderr;
    if (ran.status !== 0) return { status: ran.status, log, output: readFileSync(output, 'utf8'), summary: readFileSync(summary, 'utf8') };
  }
  return { status: 0, log, output: readFileSync(output, 'utf8'), summary: readFileSync(summary, 'utf8') };
}

test('the action passes what fits, and passes over what is no framework\'s', () => {
  const ran = action({ files: 'scripts/*.sh' });
  expect(ran).toMatchObject({ status: 0, output: 'verdict=fits\n' });
  expect(ran.log).toContain('scripts/fits.sh: It fits');
  expect(ran.log).not.toContain('::error');
  expect(ran.log).not.toContain('other.sh');
  expect(ran.summary).toContain('scripts/fits.sh: It fits');
});

test('the action fails on what does not fit, with an annotation at the line to change', () => {
  const ran = action({ files: 'scripts/**/*.sh', gpu: 'h100-sxm' });
  expect(ran).toMatchObject({ status: 4, output: 'verdict=unfit\n' });
  expect(ran.log).toContain('::error file=scripts/more/large.sh,line=6,title=Shardwise%3A out-of-memory::');
  expect(action({ files: 'scripts/**/*.sh', 'fail-on': 'nothing' })).toMatchObject({ status: 0, output: 'verdict=unfit\n' });
  expect(action({ files: 'scripts/**/*.sh', 'fail-on': 'sometimes' }).status).toBe(2);
});

test('the action holds a run against a deadline and a budget, and takes names with spaces', () => {
  copyFileSync(join(folder, 'scripts/fits.sh'), join(folder, 'scripts/a long name.sh'));
  expect(action({ files: 'scripts/a long name.sh\nscripts/fits.sh', 'deadline-h': '100', 'budget-usd': '100000' })).toMatchObject({ status: 0 });
  expect(action({ files: 'scripts/a long name.sh', 'deadline-h': '0.01' })).toMatchObject({ status: 4, output: 'verdict=unfit\n' });
  expect(action({ files: 'scripts/fits.sh', gpu: '$(touch hacked)' }).status).toBe(2);
  expect(existsSync(join(folder, 'hacked'))).toBe(false);
  expect(action({ files: 'nowhere/**/*.sh' })).toMatchObject({ status: 0, output: 'verdict=fits\n' });
  expect(action({ files: 'scripts/missing.sh' }).status).toBe(2);
});

test('the hook runs on the files that it is handed', () => {
  const [hook] = parse(readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8'));
  const run = (...files) => spawnSync('bash', ['-c', `${hook.entry} --gpu=h100-sxm "$@"`, 'hook', ...files], { cwd: folder, encoding: 'utf8', env: { PATH: path() } });
  expect(run('scripts/fits.sh', 'scripts/other.sh').status).toBe(0);
  expect(run('scripts/fits.sh', 'scripts/more/large.sh')).toMatchObject({ status: 4 });
});

test('in front of a scheduler it submits what fits and nothing else', () => {
  for (const name of ['sbatch', 'ray']) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho "${name} $*" >>submitted\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  const readme = readFileSync(join(ACTION, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^bash presubmit\.sh .*$/gm)].map(([line]) => line);
  expect(commands).toHaveLength(2);
  const run = (line, env = {}) => spawnSync('bash', ['-c', line.replace(/^bash presubmit\.sh/, `bash ${ACTION}/presubmit.sh`)], { cwd: folder, encoding: 'utf8', env: { PATH: path(), ...env } });
  const submitted = () => (existsSync(join(folder, 'submitted')) ? readFileSync(join(folder, 'submitted'), 'utf8').trim().split('\n') : []);
  for (const name of ['train.sbatch', 'run.sh']) copyFileSync(join(folder, 'scripts/fits.sh'), join(folder, name));
  for (const line of commands) expect(run(line), line).toMatchObject({ status: 0 });
  expect(submitted()).toEqual(['sbatch train.sbatch', 'ray job submit --working-dir . -- bash run.sh']);
  for (const name of ['train.sbatch', 'run.sh']) copyFileSync(join(folder, 'scripts/more/large.sh'), join(folder, name));
  for (const line of commands) expect(run(line), line).toMatchObject({ status: 4 });
  expect(submitted()).toHaveLength(2);
  expect(run(commands[0], { ANYWAY: '1' }).status).toBe(0);
  expect(submitted()).toHaveLength(3);
});
