// The site from the command line: one program, the page in it, as a machine without a network would use it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../fixtures.mjs';
import { serve as serveFolder } from '../serve.mjs';

const PROGRAM = fileURLToPath(new URL('../../target/fast/shardwise', import.meta.url));

/** Starts `shardwise serve` on a free port. Resolves to its address and a function that stops it and gives its exit status. */
async function serve(...options) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there: make cli`);
  const child = spawn(PROGRAM, ['serve', '--port', '0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const [url] = /http:\S+/.exec(line);
  return {
    url,
    stop: async () => {
      child.kill('SIGINT');
      const [status] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
      return status;
    },
  };
}

for (const at of ['/', '/a/b/']) {
  test.describe(`served by the command line under ${at}`, () => {
    let server;
    // Playwright's own requests, and its watch for foreign ones, go by this address.
    test.use({
      baseURL: async ({}, use) => {
        server = await serve('--at', at);
        await use(server.url);
        await server.stop();
      },
    });

    test('the page answers, and is there offline when the program has ended', async ({ page, calculator, accuracy }) => {
      await calculator.open();
      await expect(calculator.heading()).toBeAttached();
      // The worker runs under the policy of its own file.
      await expect(page.locator('#flags-panel pre').first()).toContainText('verl');
      await calculator.stored();
      expect(await server.stop()).toBe(0);
      await calculator.open('?x=1');
      await expect(page.locator('#flags-panel pre').first()).toContainText('verl');
      await accuracy.open();
      await page.goto('./methods/zh/');
      await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
    });
  });
}

test.describe('in a page of another site', () => {
  let folder;
  let host;

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shardwise-host-'));
    host = await serveFolder({ dir: folder });
  });

  test.afterAll(async () => {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (page, url, sandbox) => {
    writeFileSync(join(folder, 'index.html'), `<!doctype html><link rel="icon" href="data:,"><title>Host</title>
      <iframe title="Shardwise" width="900" height="700" sandbox="${sandbox}" src="${url}?embed"></iframe><script src="${url}embed.js"></script>`);
    await page.goto(host.url);
    return page.frameLocator('iframe').locator('html');
  };

  test.describe('that is not named', () => {
    test.use({ expected: [/request to another site|frame-ancestors|ERR_BLOCKED_BY_RESPONSE/] });

    test('shows nothing, and gives the page no script', async ({ page }) => {
      const server = await serve();
      const refused = [];
      page.on('requestfailed', (request) => refused.push(request.url()));
      const inside = await open(page, server.url, 'allow-scripts allow-same-origin');
      await expect.poll(() => refused.sort()).toEqual([`${server.url}?embed`, `${server.url}embed.js`]);
      await expect(inside).not.toHaveAttribute('data-ready', '1');
      await server.stop();
    });
  });

  test.describe('that is named', () => {
    test.use({ expected: [/request to another site/] });

    for (const sandbox of ['allow-scripts allow-same-origin', 'allow-scripts']) {
      test(`starts in a frame with sandbox="${sandbox}"`, async ({ page }) => {
        const server = await serve('--frame-ancestors', new URL(host.url).origin);
        const inside = await open(page, server.url, sandbox);
        await expect(inside).toHaveAttribute('data-ready', '1');
        await server.stop();
      });
    }
  });
});
