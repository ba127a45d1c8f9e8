// Every function with its types. What should not compile is marked.

import init, {
  type Answer, type FlagsOptions, type ModelRow, type Question, build, catalog, estimate, flags, json, read, search,
} from 'shardwise';

const commit: string | null = build.commit;
console.log(build.version, commit, build.data_date);

await init();
await init(new URL('https://shardwise.example/shardwise_bg.wasm'));

const question: Question = {
  version: 1,
  model: 'qwen3-8b',
  hardware: { gpu: { base: 'h100-sxm', memory_gib: 90 }, gpus: 8 },
  workload: { kind: 'sft', sequence_length: 4096, global_batch: 64 },
  plan: { backend: 'fsdp', recompute: { granularity: 'selective', modules: ['core_attn'] } },
};

const answer = estimate(question, { lang: 'zh' });
if ('error' in answer) {
  const field: string = answer.error.field;
  console.log(field);
} else {
  const whole: Answer = answer;
  const price: number | undefined = whole.usd_per_mtok;
  console.log(whole.fits, price, whole.memory.parts.activations, whole.interval?.peak_gib[1], whole.plan.offload?.optimizer);
}

const found = search(question, { gpu: ['all'], gpus: [8, 16], within_hours: 24 });
if ('plans' in found) console.log(found.plans[0]?.mfu, found.closing?.more_gpus?.gpus);
if ('offers' in found) console.log(found.offers[0]?.answer.usd_per_mtok, found.front.map((offer) => offer.meets));

const options: FlagsOptions = { framework: 'verl', version: '0.9.1' };
const texts = flags(question, options);
if ('snippets' in texts) for (const { file, language, text } of texts.snippets) console.log(file, language === 'shell', text);
if ('unsupported' in texts) console.log(texts.unsupported.length);

const reading = read(['deepspeed train.py', '{}'], { gpu: 'a100-sxm-80gb' });
if (!('error' in reading)) console.log(estimate(reading.question), reading.improved?.diff, reading.answer?.fits);

const models: ModelRow[] = catalog('models');
const line: string = json.estimate(JSON.stringify(question));
console.log(models[0]?.license, catalog('prices')[0]?.usd_per_gpu_hour, line);

// @ts-expect-error: a kind of workload that there is not
estimate({ ...question, workload: { kind: 'sleep' } });
// @ts-expect-error: a field that there is not
estimate({ ...question, plan: { tensor_paralel: 2 } });
// @ts-expect-error: no framework
flags(question, {});
// @ts-expect-error: an answer may be a refusal
console.log(estimate(question).fits);
