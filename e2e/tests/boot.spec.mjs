// The page starts, and says so where it cannot.

import { expect, test } from '../fixtures.mjs';
import { serve } from '../serve.mjs';

test('starts without a message, a policy breach or a foreign request', async ({ page, calculator }) => {
  await calculator.open();
  await expect(page).toHaveTitle(/Shardwise/);
  await expect(calculator.heading()).toBeAttached();
  await expect(page.locator('#boot')).toHaveCount(0);
});

test('asks for all its files below its own path', async ({ page, calculator, baseURL }) => {
  const outside = [];
  page.on('request', (request) => request.url().startsWith(baseURL) || request.url().startsWith('data:') || outside.push(request.url()));
  await calculator.open();
  expect(outside).toEqual([]);
});

test.describe('at the top of a site', () => {
  test('starts just as well', async ({ browser }) => {
    const { url, stop } = await serve();
    const page = await browser.newPage();
    await page.goto(url);
    await expect(page.locator('html')).toHaveAttribute('data-ready', '1');
    await page.close();
    await stop();
  });
});

test.describe('without its wasm file', () => {
  test.use({ expected: [/ERR_FAILED|Failed to fetch/] });
  test('says that a part could not be loaded', async ({ page, calculator }) => {
    await page.route('**/*.wasm', (route) => route.abort());
    await page.goto('./');
    await expect(calculator.failure).toContainText('could not be loaded');
    await expect(calculator.root).not.toHaveAttribute('data-ready', '1');
  });
});

test.describe('where the rest of the page does not load', () => {
  test.use({ expected: [/Failed to load resource|net::ERR_FAILED|Failed to fetch/] });

  for (const [what, address, seen] of [['the page', './', '#v-h'], ['an embed', './?embed', '#broken']]) {
    test(`${what} says so, shows what it has, and loads it when asked`, async ({ page, calculator }) => {
      await page.route('**/rest-*_bg.wasm', (route) => route.abort());
      await page.goto(address);
      const said = page.locator('#broken');
      await expect(said).toContainText('did not load');
      await expect(page.locator(seen)).toBeVisible();
      await page.unroute('**/rest-*_bg.wasm');
      await said.getByRole('button', { name: 'Try again' }).click();
      await calculator.started();
      await expect(said).toHaveCount(0);
    });
  }
});

test.describe('with a wasm file that was cut on its way', () => {
  test.use({ expected: [/CompileError|ERR_CONTENT_LENGTH_MISMATCH/] });
  test('says that it arrived incomplete, not that the browser lacks anything', async ({ page, calculator }) => {
    await page.route('**/shardwise-app*.wasm', async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers();
      await route.fulfill({ status: 200, headers, body: body.subarray(0, body.length / 2) });
    });
    await page.goto('./');
    await expect(calculator.failure).toContainText('arrived incomplete');
    // The worker asks for the program as well.
    await page.unrouteAll({ behavior: 'wait' });
  });
});

test.describe('where what starts it never comes', () => {
  test.use({ expected: [/ERR_FAILED/] });
  test('says after a while that it takes long', async ({ page }) => {
    await page.route('**/boot*.js', (route) => route.abort());
    await page.goto('./');
    const slow = page.locator('.boot-slow');
    await expect(slow).toBeHidden();
    await page.evaluate(() => document.getAnimations().filter(({ animationName }) => animationName === 'boot-slow').forEach((one) => one.finish()));
    await expect(slow).toBeVisible();
    await expect(slow).toBeInViewport({ ratio: 1 });
  });
});

test.describe('without WebAssembly', () => {
  test('says what the browser lacks', async ({ page, calculator }) => {
    await page.addInitScript(() => delete window.WebAssembly);
    await page.goto('./');
    await expect(calculator.failure).toContainText('has no WebAssembly');
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('says what it needs', async ({ page }) => {
    await page.goto('./');
    await expect(page.locator('noscript p')).toBeVisible();
    await expect(page.locator('noscript p')).toContainText('needs JavaScript and WebAssembly');
    await expect(page.locator('.boot-page')).toBeHidden();
  });
});

test.describe('where its program stops on the way', () => {
  test.use({ expected: [/unreachable/] });
  test('says so, and leaves nothing half built in reach', async ({ page, calculator }) => {
    // The page is built in tasks, each of which is a message: the sixth is lost.
    await page.addInitScript(() => {
      const post = MessagePort.prototype.postMessage;
      let tasks = 0;
      MessagePort.prototype.postMessage = function (...message) {
        tasks += 1;
        if (tasks < 6) post.apply(this, message);
        if (tasks === 6) {
          setTimeout(() => {
            throw new WebAssembly.RuntimeError('unreachable');
          });
        }
      };
    });
    await page.goto('./');
    await expect(calculator.failure).toContainText('stopped at an error');
    const half = page.locator('body > :not(#boot) form.ask');
    await expect(half).toBeAttached();
    await expect(half).toBeHidden();
    for (let press = 0; press < 4; press++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest('#boot') !== null)).toBe(true);
    }
  });
});

test.describe('where the site is stored', () => {
  test.use({ stored: true });

  test('asks for what works offline once the page is whole', async ({ page, calculator }) => {
    await page.addInitScript(() => {
      const register = ServiceWorkerContainer.prototype.register;
      ServiceWorkerContainer.prototype.register = function (...file) {
        window.whenRegistered = document.documentElement.dataset.ready ?? 'before the page is whole';
        return register.apply(this, file);
      };
    });
    await calculator.open();
    await calculator.stored();
    expect(await page.evaluate(() => window.whenRegistered)).toBe('1');
  });
});
