// `shardwise mcp` as agents use it: by the protocol's own client, and by lines that no client would write.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from '../fixtures.mjs';

const PROGRAM = fileURLToPath(new URL('../../target/fast/shardwise', import.meta.url));
const question = (model = 'qwen3-8b', gpus = 8, kind = 'sft') => ({
  version: 1,
  model,
  hardware: { gpu: 'h100-sxm', gpus },
  workload: { kind, sequence_length: 4096, global_batch: 64 },
});
const COMMAND = 'python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen3-8B data.train_batch_size=256 actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.total_training_steps=100';

/** A session with the protocol's client, which checks every message against the protocol. */
async function session(use) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there: make cli`);
  const client = new Client({ name: 'shardwise-e2e', version: '0' });
  await client.connect(new StdioClientTransport({ command: PROGRAM, args: ['mcp', '--page', 'https://example.org/'] }));
  try {
    await use(client, async (name, args) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
      expect(JSON.parse(content[0].text)).toEqual(structuredContent);
      return { failed: isError, told: structuredContent, bytes: content[0].text.length };
    });
  } finally {
    await client.close();
  }
}

test('lists its tools, and says what each takes within what an agent can read', () =>
  session(async (client) => {
    expect(client.getServerVersion()).toMatchObject({ name: 'shardwise' });
    expect(client.getInstructions()).toContain('Leave the plan out' .toLowerCase());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['estimate', 'search', 'flags', 'read', 'check', 'doctor', 'explain', 'offers', 'catalog', 'schema']);
    for (const { name, inputSchema, annotations, description } of tools) {
      expect(inputSchema.type, name).toBe('object');
      expect(inputSchema.additionalProperties, name).toBe(false);
      expect(annotations.readOnlyHint, name).toBe(true);
      expect(description.length, name).toBeGreaterThan(40);
    }
    const { properties } = tools[0].inputSchema.properties.question;
    expect(properties.workload.properties.kind.enum).toContain('grpo');
    expect(properties.plan.properties.tensor_parallel.description).toBeTruthy();
    expect(JSON.stringify(tools).length).toBeLessThan(40_000);
  }));

test('answers a session of twenty questions, each shortly and with a link', () =>
  session(async (client, call) => {
    const links = [];
    const models = ['qwen3-0.6b', 'qwen3-8b', 'qwen3-32b', 'llama-3.1-8b', 'llama-3.1-70b'];
    for (const model of models) {
      for (const gpus of [8, 64]) {
        const { failed, told, bytes } = await call('estimate', { question: question(model, gpus) });
        expect(failed, model).toBeFalsy();
        expect(told.plan.backend, model).toBeTruthy();
        expect(bytes, model).toBeLessThan(4_000);
        links.push(told.link);
      }
    }
    expect(links.every((link) => link.startsWith('https://example.org/#v=1&'))).toBe(true);
    expect(new Set(links).size).toBe(10);
    const short = (await call('estimate', { question: question() })).told;
    const full = (await call('estimate', { question: question(), full: true })).told;
    expect(short.fits).toBe(full.fits);
    expect(short.step_time_s).toBeCloseTo(full.step_time_s, 3);
    const best = (await call('search', { question: question(), options: { gpu: ['h100-sxm', 'h200-sxm'], gpus: [8, 16], limit: 2 } })).told;
    expect(best.offers).toHaveLength(2);
    expect(best.offers[0].answer.usd_per_mtok).toBeLessThanOrEqual(best.offers[1].answer.usd_per_mtok);
    const flags = (await call('flags', { question: question(), options: { framework: 'trl' } })).told;
    expect(flags.snippets.map(({ text }) => text).join()).toContain('accelerate');
    const read = (await call('read', { texts: [COMMAND], options: { gpu: 'h200-sxm' } })).told;
    expect(read.question).toMatchObject({ model: 'qwen3-8b', hardware: { gpu: 'h200-sxm', gpus: 8 } });
    const checked = (await call('check', { texts: [COMMAND], options: { gpu: 'h200-sxm', deadline_h: 0.01 } })).told;
    expect(checked.verdict).toBe('unfit');
    const doctor = (await call('doctor', { texts: ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'] })).told;
    expect(doctor.figures.asked_gib).toBe(2);
    const explained = (await call('explain', { question: question(), figures: ['mfu'] })).told;
    expect(explained.explanations[0].sources[0].url).toContain('https://');
    const offers = (await call('offers', { gpu: 'h100-sxm', limit: 3 })).told.offers;
    expect(offers).toHaveLength(3);
    expect((await call('catalog', { table: 'models', contains: 'Qwen3-8B' })).told.rows[0].id).toBe('qwen3-8b');
    expect((await call('schema', { of: 'OperationsSpec' })).told.properties).toHaveProperty('failures');
    expect((await call('estimate', { question: question(), lang: 'zh' })).told.advice.join()).toMatch(/[\u4e00-\u9fff]/);
  }));

test('says what is wrong with a question, and goes on', () =>
  session(async (client, call) => {
    const refused = [
      ['estimate', { question: { version: 1 } }, 'model'],
      ['estimate', { question: question('no-such-model') }, 'model'],
      ['estimate', { question: { ...question(), hardware: { gpu: 'h100-sxm', gpus: -1 } } }, 'hardware.gpus'],
      ['estimate', { quest: question() }, 'arguments'],
      ['estimate', {}, 'arguments'],
      ['estimate', { question: 'not JSON' }, 'question'],
      ['search', { question: question(), options: { by: 'beauty' } }, 'by'],
      ['flags', { question: question(), options: { framework: 'fortran' } }, 'framework'],
      ['check', { texts: [COMMAND], options: { gpu: 'h1000' } }, 'gpu'],
      ['explain', { question: question(), figures: ['joy'] }, 'figures'],
      ['offers', { kind: 'gift' }, 'kind'],
      ['catalog', { table: 'cards' }, 'table'],
      ['schema', { of: 'everything' }, 'of'],
    ];
    for (const [name, args, field] of refused) {
      const { failed, told } = await call(name, args);
      expect(failed, name).toBe(true);
      expect(told.error, JSON.stringify(told)).toMatchObject({ field });
    }
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/no tool/);
    // A document as text is what some clients send.
    expect((await call('estimate', { question: JSON.stringify(question()) })).failed).toBeFalsy();
  }));

test('lines that no client would write end nothing', async () => {
  const child = spawn(PROGRAM, ['mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const send = (line) => child.stdin.write(`${line}\n`);
  const answer = async (id) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the server ended before answer ${id}`);
      const message = JSON.parse(value);
      if (message.id === id) return message;
    }
  };
  const call = (id, params) => send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
  send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } } }));
  const { serverInfo } = (await answer(1)).result;
  expect(serverInfo).toMatchObject({ name: 'shardwise', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(serverInfo.description).toMatch(/\ncommit \S.*\nnewest figure \d{4}-\d\d-\d\d, newest price \d{4}-\d\d-\d\d$/);
  send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  let id = 1;
  for (const line of ['', 'garbage', '{', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":7,"method":"x"}', `"${'x'.repeat(1 << 20)}"`, '\u0000', `${'['.repeat(10_000)}`]) {
    send(line);
    id += 1;
    call(id, { name: 'catalog', arguments: { table: 'gpus', limit: 1 } });
    expect((await answer(id)).result.structuredContent.rows, line.slice(0, 40)).toHaveLength(1);
  }
  call(99, { name: 'estimate', arguments: 'text' });
  expect(await answer(99)).toHaveProperty('error');
  call(100, { name: 'read', arguments: { texts: ['x'.repeat(2 << 20)] } });
  expect((await answer(100)).result.isError).toBe(true);
  child.stdin.end();
  const [status] = await once(child, 'exit');
  expect(status).toBe(0);
});
