// `shardwise serve` under clients that want to harm it: it goes on answering others, in little memory.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../fixtures.mjs';

const PROGRAM = fileURLToPath(new URL('../../target/fast/shardwise', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
// The largest file, which a client that takes no gzip gets unpacked.
const WASM = readdirSync(DIST).filter((name) => /^engine.*\.wasm$/.test(name))[0] ?? readdirSync(DIST).find((name) => name.endsWith('.wasm'));

let server;
test.beforeEach(async () => {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there: make cli`);
  const child = spawn(PROGRAM, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port } = new URL(/http:\S+/.exec(line)[0]);
  server = { child, port: Number(port), url: `http://localhost:${port}/` };
});
test.afterEach(async () => {
  if (server.child.exitCode !== null) return;
  server.child.kill('SIGINT');
  await once(server.child, 'exit');
});

/** MiB that the server holds now, and held at most. */
function memory() {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) / 1024;
  return { now: of('VmRSS'), most: of('VmHWM') };
}

/** So many connections that each send a text and then read nothing. */
async function connections(count, text) {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port: server.port, host: '127.0.0.1' });
      socket.pause();
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (text) socket.write(text);
      return socket;
    }),
  );
  return { sockets, end: () => sockets.forEach((socket) => socket.destroy()) };
}

const answers = async () => {
  const response = await fetch(server.url, { signal: AbortSignal.timeout(200_000) });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('<title>');
};

test('500 readers that take nothing share one copy of what they asked for', async () => {
  const slow = await connections(500, `GET /${WASM} HTTP/1.1\r\nhost: localhost:${server.port}\r\naccept-encoding: identity\r\n\r\n`);
  await answers();
  const { most } = memory();
  console.log(`500 slow readers of ${WASM}: ${most.toFixed(1)} MiB at most`);
  expect(most).toBeLessThan(64);
  // They lose their places by themselves, and others find one.
  const closed = Promise.all(slow.sockets.slice(0, 5).map((socket) => (socket.closed ? null : (socket.resume(), once(socket, 'close')))));
  await closed;
  slow.end();
  await answers();
});

test('a thousand connections that say nothing, or one letter, are waited out', async () => {
  const silent = await connections(500, '');
  const letters = await connections(500, 'G');
  await answers();
  const { most } = memory();
  console.log(`1,000 open connections: ${most.toFixed(1)} MiB at most`);
  expect(most).toBeLessThan(64);
  silent.end();
  letters.end();
});

test('a thousand requests at once are all answered', async () => {
  // Each by a connection of its own that ends with it: one that stayed open could be ended by either side as the other takes it up.
  const ask = async () => {
    const [response] = await once(get(`${server.url}manifest.webmanifest`, { agent: false }), 'response');
    await textOf(response);
    return response.statusCode;
  };
  const all = await Promise.all(Array.from({ length: 1000 }, ask));
  expect(all.every((status) => status === 200)).toBe(true);
  expect(memory().most).toBeLessThan(64);
});

test('garbage ends its own connection alone', async () => {
  const texts = ['\0'.repeat(1000), 'GET / HTTP/9.9\r\n\r\n', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 'POST / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n', `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(20_000)}\r\n`, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'];
  const all = await Promise.all(texts.flatMap((text) => Array.from({ length: 20 }, () => connections(1, text))));
  await answers();
  all.forEach((one) => one.end());
  expect(memory().most).toBeLessThan(64);
  expect(server.child.exitCode).toBe(null);
});
