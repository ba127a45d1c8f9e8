// WebKit as GTK has it: its test browser over WebDriver, of which these journeys need six commands. It draws to a screen, which
// Xvfb is.

import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/**
 * It died: one of its processes crashed, of which the driver says no more than that its session has ended. WebKit ends the session
 * of a page, of the network or of a service worker that crashes alike (`automationSession->terminate()` in its WebProcessPool).
 */
export class Died extends Error {}

/** Starts it, in English, with nothing stored. */
export async function webkit() {
  const port = await freePort();
  const driver = spawn('xvfb-run', ['-a', '-s', '-screen 0 1440x1000x24', 'WebKitWebDriver', `--port=${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    // Its sandbox asks for what a container has not.
    env: { ...process.env, LANG: 'en_US.UTF-8', WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1' },
  });
  let said = '';
  driver.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-4000);
  });
  const server = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${server}/status`)).ok);
  const ask = async (method, path, body) => {
    const answer = await fetch(`${server}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value?.error === 'invalid session id') throw new Died(`${value.message}\n${said}`);
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  const binary = process.env.MINIBROWSER ?? browser();
  const { sessionId } = await ask('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: ['--automation', '--geometry=1440x900'] } } },
  });
  const at = `/session/${sessionId}`;
  await ask('POST', `${at}/timeouts`, { script: 60_000 });
  const find = async (selector) => (await ask('POST', `${at}/element`, { using: 'css selector', value: selector }))[ELEMENT];
  return {
    // It tells no messages of the console.
    problems: [],
    open: (url) => ask('POST', `${at}/url`, { url }),
    run: (act, ...args) => ask('POST', `${at}/execute/async`, {
      script: `const done = arguments[arguments.length - 1]; Promise.resolve((${act})(...[...arguments].slice(0, -1))).then(done)`, args,
    }),
    click: async (selector) => ask('POST', `${at}/element/${await find(selector)}/click`, {}),
    type: async (selector, text) => {
      const own = await find(selector);
      await ask('POST', `${at}/element/${own}/clear`, {});
      await ask('POST', `${at}/element/${own}/value`, { text });
    },
    picture: async (path) => writeFileSync(path, Buffer.from(await ask('GET', `${at}/screenshot`), 'base64')),
    stop: async () => {
      await ask('DELETE', at).catch(() => {});
      process.kill(-driver.pid);
    },
  };
}

// Of the packages that carry it.
const browser = () => ['4.1', '4.0'].map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`).find(existsSync);

function freePort() {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function until(holds) {
  for (let left = 1200; left > 0; left -= 1) {
    if (await holds().catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('WebKitWebDriver did not start');
}
