// The functions in objects: each says what the lines say, and nothing throws but what a program does wrong.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import init, * as shardwise from 'shardwise';

const [cases, lines] = process.argv.slice(2);
const asked = JSON.parse(readFileSync(cases, 'utf8'));
const told = readFileSync(lines, 'utf8').trimEnd().split('\n');
await init();

let compared = 0;
asked.forEach(({ call, input, options }, at) => {
  let own = input;
  if (call !== 'read') {
    try {
      own = JSON.parse(input);
    } catch {
      return;
    }
  }
  assert.deepStrictEqual(shardwise[call](own, options), JSON.parse(told[at]));
  compared += 1;
});
assert(compared > 100, `${compared}`);

const question = JSON.parse(asked[0].input);
assert.deepStrictEqual([question].map(shardwise.estimate), [JSON.parse(told[0])]);
for (const [none, field] of [[undefined, 'question'], [null, 'question'], ['text', 'question'], [{}, 'version'], [[question], 'question']]) {
  assert.equal(shardwise.estimate(none).error.field.split('.')[0], field);
}
for (const [call, options, field] of [
  ['estimate', 'zh', 'options'], ['estimate', null, 'options'], ['estimate', { lang: 'fr' }, 'lang'], ['search', { by: 'colour' }, 'by'],
  ['search', { gpus: 8 }, 'gpus'], ['search', { gpus: ['8'] }, 'gpus'], ['search', { within_hours: -1 }, 'within_hours'],
  ['search', { within_hours: 1, within_usd: 1 }, 'within_usd'], ['search', { limit: 1e300 }, 'limit'], ['search', { colour: 1 }, 'colour'],
  ['flags', undefined, 'framework'], ['flags', 'verl', 'options'], ['flags', { framework: 'none' }, 'framework'],
  ['flags', { framework: 'verl', version: '0' }, 'version'], ['read', { gpu: 8 }, 'gpu'],
]) {
  assert.equal(shardwise[call](question, options).error.field, field, `${call} ${JSON.stringify(options)}`);
}
assert.equal(shardwise.read('').error.line, 0);
assert.equal(shardwise.catalog('gpus').find((gpu) => gpu.id === 'h100-sxm').memory_gib > 70, true);
assert(shardwise.catalog('models').length > 100 && shardwise.catalog('nodes').length > 10 && shardwise.catalog('prices').length > 10);
assert.throws(() => shardwise.catalog('colours'), /gpus/);

// Which build it is: the version of the package, and of when its data are.
const require = createRequire(import.meta.url);
const { version, commit, ...dates } = shardwise.build;
assert.equal(version, require('shardwise/package.json').version);
assert(commit === null || /^[0-9a-f]{7,40}(-dirty)?$/.test(commit), commit);
assert(JSON.parse(told[0]).data.version === dates.data && dates.data_date >= dates.prices_date && /^20\d\d-\d\d-\d\d$/.test(dates.prices_date));

// The same module for require, which Node has for modules since 20.19.
assert.equal(require('shardwise').estimate, shardwise.estimate);
assert(require('shardwise/schema.json').$defs.Question);
console.log(`${compared} answers are the same`);
