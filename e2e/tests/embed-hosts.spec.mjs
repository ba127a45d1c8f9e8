// Pages of the tools that docs are built with, from the examples in e2e/hosts: built, then used as a reader would.

import { fileURLToPath } from 'node:url';
import { build } from '../hosts/build.mjs';
import { QUESTION, event, expect, gather, height, resting, started, test } from '../hosts/page.mjs';
import { still } from '../pages/rest.mjs';
import { serve } from '../serve.mjs';

const SHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

// What a reader presses for the other colours; veRL's and ChatLearn's theme has none.
const HOSTS = {
  'sphinx-rtd': null,
  'sphinx-furo': (page) => page.locator('.theme-toggle:visible').click(),
  mkdocs: (page) => page.locator('label.md-header__button[title]:visible').click(),
  docusaurus: async (page) => {
    const menu = page.getByRole('button', { name: 'Toggle navigation bar' });
    const narrow = await menu.isVisible();
    if (narrow) await menu.click();
    await page.locator('button[class*=toggleButton]:visible').first().click();
    if (narrow) await page.getByRole('button', { name: 'Close navigation bar' }).click();
  },
  mdx: null,
  quarto: null,
  space: null,
};

// Whose tools answer the question while they build.
const ANSWERED = ['sphinx-rtd', 'sphinx-furo', 'mkdocs', 'quarto'];

/** The colours of what the element stands on, as a reader sees them. */
const ground = (page) => page.locator('shardwise-calculator').first().evaluate((own) => {
  for (let at = own; at; at = at.parentElement) {
    const [red, green, blue, alpha = 1] = getComputedStyle(at).backgroundColor.match(/[\d.]+/g).map(Number);
    if (alpha > 0.5) return red + green + blue < 384 ? 'dark' : 'light';
  }
  return 'light';
});

for (const [name, toggle] of Object.entries(HOSTS)) {
  test.describe(name, () => {
    let site;
    test.beforeAll(async ({}, { project }) => {
      site = await serve({ dir: await build(name, project.use.baseURL) });
    });
    test.afterAll(() => site.stop());

    for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']]) {
      test(`shows two embeds that follow it, at ${width} px`, async ({ page, baseURL }) => {
        const home = new URL(baseURL).origin;
        const others = [];
        page.on('request', (request) => {
          const { origin, protocol } = new URL(request.url());
          if (protocol.startsWith('http') && origin !== home && origin !== new URL(site.url).origin) others.push(request.url());
        });
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await page.goto(site.url);
        const frames = page.locator('shardwise-calculator iframe');
        await expect(frames).toHaveCount(2);
        const roots = [await started(frames.nth(0)), await started(frames.nth(1))];

        // Each as high as its content, and no wider than the page.
        for (const [at, root] of roots.entries()) {
          const tall = await resting(frames.nth(at));
          expect(tall).toBe(await root.evaluate((own) => Math.ceil(own.getBoundingClientRect().height)));
          expect(await root.evaluate((own) => own.scrollWidth - own.clientWidth)).toBe(0);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
        await expect(roots[0]).toHaveAttribute('lang', 'en');
        await expect(roots[1]).toHaveAttribute('lang', 'zh-CN');
        await expect(frames.nth(0).contentFrame().locator('#hardware-gpu')).toHaveValue('h200-sxm');

        // The colours of the page, without a reload.
        const follows = async () => {
          for (const root of roots) await expect.poll(async () => (await root.getAttribute('data-theme')) === (await ground(page))).toBe(true);
        };
        await follows();
        if (toggle) {
          for (const root of roots) await root.evaluate((own) => { own.dataset.stays = '1'; });
          const seen = new Set([await ground(page)]);
          for (let press = 0; press < 3 && seen.size < 2; press += 1) {
            await toggle(page);
            // The colours of some fade.
            await still(page);
            seen.add(await ground(page));
            await follows();
          }
          expect([...seen].sort()).toEqual(['dark', 'light']);
          for (const root of roots) await expect(root).toHaveAttribute('data-stays', '1');
        }

        // What stands in its place where no script runs is the answer that it shows.
        if (ANSWERED.includes(name)) {
          const table = page.locator('shardwise-calculator').first().locator('table');
          const [, speed] = /([\d,]+) tokens\/s per GPU/.exec(await table.textContent());
          await expect(roots[0].locator('.emb-n')).toContainText(speed);
          expect(await table.evaluate((own) => own.getBoundingClientRect().height)).toBe(0);
        }

        // Question and answer, of the first alone.
        await gather(page);
        const second = await roots[1].evaluate(() => location.hash);
        await page.evaluate((question) => { document.querySelector('shardwise-calculator').question = question; }, QUESTION);
        await event(page, 'question', (found) => found.hardware.gpus === QUESTION.hardware.gpus);
        const answer = await event(page, 'answer', (found) => found.plan !== undefined);
        expect(answer.fits).toBe(true);
        await expect(frames.nth(0).contentFrame().locator('#hardware-gpu')).toHaveValue('b200-sxm');
        expect(await roots[1].evaluate(() => location.hash)).toBe(second);
        if (name === 'docusaurus') await expect(page.locator('#said')).toContainText('tokens per second and GPU');
        expect(await height(frames.nth(0))).toBeGreaterThan(300);
        expect(others).toEqual([]);
      });
    }
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  for (const name of ANSWERED) {
    test(`${name} has the answer as a table`, async ({ page, baseURL }) => {
      const site = await serve({ dir: await build(name, baseURL) });
      await page.goto(site.url);
      const first = page.locator('shardwise-calculator').first();
      await expect(first.getByRole('row')).toHaveText([/16 × NVIDIA H200/, /GiB of a GPU/, /ZeRO/, /tokens\/s per GPU/, /per million tokens/]);
      await expect(first.getByRole('link')).toHaveAttribute('href', new RegExp(`^${baseURL}#v=1&`));
      await site.stop();
    });
  }
});

test('Sphinx: MyST shows the same', async ({ page, baseURL }) => {
  const site = await serve({ dir: await build('sphinx-rtd', baseURL) });
  await page.goto(`${site.url}markdown.html`);
  const root = await started(page.locator('shardwise-calculator iframe'));
  await expect(root.locator('.emb-v')).toContainText('GiB');
  await expect(root.locator('form')).toHaveCount(0);
  await site.stop();
});

test('a Space shows it within the frame that Spaces are shown in', async ({ page, baseURL, host }) => {
  const space = await serve({ dir: await build('space', baseURL) });
  const allow = 'allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts';
  host.write('index.html', `<iframe src="${space.url}" sandbox="${allow}" width="1000" height="1500"></iframe>`);
  await page.goto(host.url);
  const frame = page.frameLocator('iframe').locator('shardwise-calculator iframe').first();
  const root = await started(frame);
  await expect(root.locator('#hardware-gpu')).toHaveValue('h200-sxm');
  await expect(root.locator('.emb-v')).toContainText('GiB');
  await space.stop();
});

test('the colours of a page whose style sheet comes late are followed', async ({ page, baseURL }) => {
  const space = await serve({ dir: await build('space', baseURL) });
  await page.emulateMedia({ colorScheme: 'dark' });
  let let_in;
  const late = new Promise((done) => { let_in = done; });
  await page.route(`${space.url}style.css`, async (route) => {
    await late;
    await route.continue();
  });
  await page.goto(space.url, { waitUntil: 'commit' });
  const frame = page.locator('shardwise-calculator iframe').first();
  await expect(frame).toBeAttached();
  expect(await ground(page)).toBe('light');
  let_in();
  await expect.poll(() => ground(page)).toBe('dark');
  const root = await started(frame);
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await space.stop();
});

test.describe('worked examples', () => {
  const GUIDES = { verl: ['qwen3-8b', 'h100-sxm', 'en'], 'chatlearn-en': ['qwen3-30b-a3b', 'h20-141g', 'en'], 'chatlearn-zh': ['qwen3-30b-a3b', 'h20-141g', 'zh-CN'], deepspeed: ['gpt2-1.5b', 'v100-sxm-32g', 'en'] };
  for (const [name, [model, gpu, lang]] of Object.entries(GUIDES)) {
    test(`${name}: what the patch adds is built, and asks what the guide is about`, async ({ page, baseURL }) => {
      const site = await serve({ dir: await build(`example-${name}`, baseURL) });
      await page.setViewportSize({ width: 1100, height: 900 });
      await page.goto(site.url);
      await expect(page.locator('shardwise-calculator')).toHaveCount(1);
      const root = await started(page.locator('shardwise-calculator iframe'));
      await expect(root).toHaveAttribute('lang', lang);
      await expect(root.locator('#hardware-gpu')).toHaveValue(gpu);
      await expect.poll(() => root.evaluate(() => location.hash)).toContain(`model=${model}`);
      await expect(root.locator('.emb-v')).toContainText('GiB');
      if (process.env.SHOTS) {
        await resting(page.locator('shardwise-calculator iframe'));
        await page.locator('h1, h2, h3').last().evaluate((own) => own.scrollIntoView({ block: 'start', behavior: 'instant' }));
        await page.screenshot({ path: SHOTS + `example-${name}.png` });
      }
      await site.stop();
    });
  }
});
