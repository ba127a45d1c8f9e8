// What is asked: questions of the repository by a rule, with the options of the command line and of the functions.

import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const CORE = fileURLToPath(new URL('../../core/', import.meta.url));
const QUESTIONS = 100;

const read = (path) => readFileSync(join(CORE, path), 'utf8');
const files = (folder, pattern) => readdirSync(join(CORE, folder)).filter((file) => pattern.test(file)).sort()
  .map((file) => read(join(folder, file)));
const line = (text) => JSON.stringify(JSON.parse(text));

const recorded = files('tests/golden', /^(?!.*\.answer\.json$).*\.json$/).map(line);
// But for one whose search takes a quarter of a minute in a browser.
const presets = files('question/src/presets', /^(?!nemo-rl-deepseek-v3).*\.json$/).map(line);

// Each recorded question without its plan, so that the search decides.
const searched = recorded.map((question) => {
  const { plan: _, ...rest } = JSON.parse(question);
  return JSON.stringify(rest);
});

// One thing wrong with a question, and texts that are none.
const wrong = [
  { version: 2 }, { model: 'no-such-model' }, { model: { hidden_size: 'wide' } }, { hardware: { gpu: 'h100-sxm', gpus: 0 } },
  { hardware: { gpu: 'h100-sxm', gpus: 1e15 } }, { hardware: {} }, { workload: { kind: 'sleep' } }, { workload: { kind: 'grpo' } },
  { plan: { tensor_parallel: 3 } }, { plan: { no_such_key: 1 } }, { calibration: { time: 1000 } }, { 模型: '"\\\u0001' },
].map((change) => JSON.stringify({ ...JSON.parse(recorded[0]), ...change }));
const refused = [...wrong, '{}', '[]', 'null', '{"version": 1', 'no JSON at all'];

// As many published runs as are left, evenly spaced.
const runs = [...read('tests/data/training.jsonl').trim().split('\n'), ...read('tests/data/rl.jsonl').trim().split('\n')]
  .map((run) => JSON.stringify(JSON.parse(run).question));
const left = QUESTIONS - recorded.length - presets.length - searched.length - refused.length;
const spaced = Array.from({ length: left }, (_, at) => runs[Math.floor((at * runs.length) / left)]);

export const questions = [...recorded, ...presets, ...searched, ...refused, ...spaced];

const of = (kind) => recorded.find((question) => JSON.parse(question).workload.kind === kind);
const frameworks = ['verl', 'chatlearn', 'deepspeed', 'llmforge', 'trl', 'openrlhf', 'megatron-lm', 'megatron-bridge', 'torchtitan',
  'llamafactory', 'axolotl', 'ms-swift'];
const tight = '{"version":1,"model":"llama-3.1-70b","hardware":{"gpu":"a100-sxm-40gb","gpus":8},"workload":{"kind":"sft","sequence_length":4096,"global_batch":64}}';
const planned = (tokens) => JSON.stringify({ version: 1, model: 'qwen3-8b', hardware: { gpu: 'h100-sxm', gpus: 8 },
  workload: { kind: 'sft', sequence_length: 4096, global_batch: 64, tokens } });

/** The story of core/tests/market/deadline.rs, and the same by a price sheet of one's own. */
const lora = (market) => JSON.stringify({ version: 1, model: 'llama-3.3-70b', hardware: { gpu: 'h100-sxm', gpus: 8, market },
  workload: { kind: 'lora', sequence_length: 2048, global_batch: 16, tokens: 5e7 } });
const own = [{ gpu: 'h200-sxm', usd_per_gpu_hour: 0.9 }, { gpu: 'h100-sxm', usd_per_gpu_hour: 1.25, provider: 'Campus', count: 8, network_gbit_per_s: 3200 }];
export const story = lora({});
const sheets = [lora({ own }), lora({ own, only_own: true }), lora({ own: [{ gpu: 'h100-sxn', usd_per_gpu_hour: 1 }] })];

const search = (args, options, asked) => ({ call: 'search', args, options, inputs: asked });
const searches = [
  search([], {}, [...searched.slice(0, 4), tight, '{}']),
  search(['--for', 'verl', '--limit', '3'], { framework: 'verl', limit: 3 }, [of('grpo')]),
  search(['--by', 'time'], { by: 'time' }, [of('sft')]),
  search(['--by', 'gpus'], { by: 'gpus' }, [of('lora')]),
  search(['--gpu', 'all', '--limit', '2'], { gpu: ['all'], limit: 2 }, [of('sft')]),
  search(['--gpu', 'h200-sxm,a100-sxm-80gb,none', '--gpus', '8,16'], { gpu: ['h200-sxm', 'a100-sxm-80gb', 'none'], gpus: [8, 16] }, [of('qlora')]),
  search(['--gpu', 'all', '--within-hours', '24'], { gpu: ['all'], within_hours: 24 }, [planned(1e9), of('sft'), story, ...sheets]),
  search(['--gpu', 'all', '--within-usd', '500'], { gpu: ['all'], within_usd: 500 }, [planned(1e9)]),
];
const flags = frameworks.map((framework) => ({ call: 'flags', args: ['--for', framework, '--json'], options: { framework },
  inputs: [of('sft'), of('lora'), of('grpo'), of('pretrain'), '{}'] }));
const older = [
  ['verl', 'none'], ['deepspeed', '0.16.9'],
].map(([framework, version]) => ({ call: 'flags', args: ['--for', framework, '--framework-version', version, '--page', 'https://shardwise.example/', '--json'],
  options: { framework, version, page: 'https://shardwise.example/' }, inputs: [of('grpo'), of('sft')] }));
const texts = files('tests/golden/emit', /^(verl|chatlearn|deepspeed|llmforge|megatron-lm)-/).map((text) => [text]);
const readings = [
  { call: 'read', args: ['--json'], options: {}, inputs: [...texts, ['nothing of the kind'], ['']] },
  { call: 'read', args: ['--json', '--gpu', 'h200-sxm', '--model', 'qwen3-14b'], options: { gpu: 'h200-sxm', model: 'qwen3-14b' },
    inputs: [['python3 -m verl.trainer.main_ppo data.train_batch_size=512 actor_rollout_ref.model.path=$HOME/mine trainer.n_gpus_per_node=8'], texts.flat().slice(0, 2)] },
];
const chinese = (one) => ({ ...one, args: [...one.args, '--lang', 'zh'], options: { ...one.options, lang: 'zh' } });

/** Runs of the command line: the inputs of each are asked with the same options. */
export const runsOf = [
  { call: 'estimate', args: [], options: undefined, inputs: questions },
  chinese({ call: 'estimate', args: [], options: {}, inputs: [...presets.slice(0, 3), ...refused] }),
  ...searches, chinese(searches[0]), ...flags, ...older, chinese(flags[0]), ...readings, chinese(readings[0]),
];
