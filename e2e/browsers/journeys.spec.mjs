// Ten journeys in Firefox and in WebKit: what a person does, on the built site, in what they do it with.

import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { serve } from '../serve.mjs';
import { firefox } from './firefox.mjs';
import { Died, webkit } from './webkit.mjs';

const SHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));
const SCRIPT = 'python3 -m verl.trainer.main_ppo data.train_batch_size=128 actor_rollout_ref.model.path=Qwen/Qwen3-14B trainer.n_gpus_per_node=8';

// Run in the page.
const rests = () => document.documentElement.dataset.ready === '1' && !document.documentElement.hasAttribute('data-busy');
const says = (selector) => document.querySelector(selector)?.textContent ?? '';
const show = (selector) => document.querySelector(selector).scrollIntoView({ block: 'center', behavior: 'instant' });

for (const start of [firefox, webkit]) {
  test.describe(start.name, () => {
    test.describe.configure({ mode: 'serial' });
    let site;
    let page;

    const rested = () => expect.poll(() => page.run(rests)).toBe(true);
    const text = (selector) => expect.poll(() => page.run(says, selector));
    const open = async (suffix = '') => {
      await page.open(`${site.url}${suffix}`);
      await rested();
    };
    const press = async (selector) => {
      await expect.poll(() => page.run((own) => document.querySelector(own) !== null, selector)).toBe(true);
      await page.run(show, selector);
      await page.click(selector);
      await rested();
    };

    test.beforeAll(async () => {
      site = await serve({ at: '/a/b/' });
      page = await start();
    });
    test.afterEach(async ({}, { title }) => {
      if (process.env.SHOTS) await page.picture(`${SHOTS}${start.name}-${title.replaceAll(/\W+/g, '-')}.png`);
    });
    test.afterAll(async () => {
      await page?.stop();
      await site?.stop();
    });

    test('it starts', async () => {
      await open();
      await text('#v-h').toMatch(/^Fits, \d+.% sure$/);
      await text('.dock').toContain('GiB');
      expect(await page.run(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    });

    test('what is typed is answered', async () => {
      await page.type('#hardware-gpus', '16');
      await text('.verdict-q').toContain('16 ×');
      await rested();
      await expect.poll(() => page.run(() => location.hash)).toContain('hardware.gpus=16');
    });

    test('every GPU type has its two bars', async () => {
      await page.run(show, '#gpus');
      await expect.poll(() => page.run(() => document.querySelectorAll('#gpus svg .bar').length)).toBeGreaterThan(10);
      const [throughput, cost] = await page.run(() => [...document.querySelectorAll('#gpus svg')].map((svg) => svg.getBoundingClientRect().toJSON()));
      expect(throughput.width).toBeGreaterThan(200);
      expect(cost.width).toBeGreaterThan(200);
    });

    test('a script is pasted', async () => {
      await press('#paste-open');
      await page.type('#paste-t', SCRIPT);
      await text('#paste').toContain('Qwen3 14B');
      await rested();
      await press('#paste .btn-1');
      await text('.verdict-q').toContain('Qwen3 14B');
    });

    test('the text to paste is there for each framework', async () => {
      await text('#flags-panel').toContain('actor_rollout_ref.model.path');
      await press('#tab-openrlhf');
      await text('#flags-panel').toContain('openrlhf');
    });

    test('a file is saved', async () => {
      await page.run(() => {
        window.saved = [];
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          blob.text().then((own) => window.saved.push(own));
          return make.call(URL, blob);
        };
      });
      await press('#fold-plans > summary');
      await press('#plans-csv');
      await expect.poll(() => page.run(() => window.saved[0] ?? '')).toMatch(/^layout,/);
    });

    test('it speaks Chinese', async () => {
      await press('.top [lang="zh-CN"]');
      await expect.poll(() => page.run(() => document.documentElement.lang)).toBe('zh-CN');
      await text('#v-h').toMatch(/把握|放不下/);
      await press('.top [lang="en"]');
      await text('#v-h').toMatch(/sure|Does not fit/);
    });

    test('it is dark when asked', async () => {
      const ground = () => page.run(() => getComputedStyle(document.body).backgroundColor);
      const light = await ground();
      await page.run(() => document.querySelector('.theme label:last-of-type input').click());
      await expect.poll(ground).not.toBe(light);
      await page.run(() => document.querySelector('.theme label input').click());
    });

    test('it stands in another page', async () => {
      const script = `${site.url}embed.js`;
      const host = await serve({ dir: fileURLToPath(new URL('host', import.meta.url)) });
      await page.open(`${host.url}?${new URLSearchParams({ script })}`);
      await expect.poll(() => page.run(() => document.querySelector('shardwise-calculator')?.shadowRoot.querySelector('iframe').style.height ?? '')).toMatch(/^[2-9]\d\dpx$|^\d{4}px$/);
      await expect.poll(() => page.run(() => window.answers?.[0]?.fits)).toBe(true);
      await host.stop();
    });

    const worksOffline = async () => {
      await open();
      await page.run(() => navigator.serviceWorker.ready.then(() => true));
      await expect.poll(() => page.run(() => navigator.serviceWorker.controller !== null)).toBe(true);
      const { url } = site;
      await site.stop();
      site = null;
      await page.open(url);
      await rested();
      await text('#v-h').toMatch(/^Fits, /);
      await text('#flags-panel').toContain('actor_rollout_ref');
    };

    // Debian's WebKit has crashed here, once in some fifty runs on a machine of two cores and in none of thirty where one looked on:
    // then a new one, with nothing stored, has to do it, and what the first one said stands in the report.
    test('it works offline', async ({}, info) => {
      try {
        await worksOffline();
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        info.annotations.push({ type: 'crash', description: error.message });
        console.warn(`${start.name} crashed: ${error.message}`);
        await page.stop();
        await site?.stop();
        site = await serve({ at: '/a/b/' });
        page = await start();
        await worksOffline();
      }
    });

    test('it has said nothing wrong', () => {
      expect(page.problems).toEqual([]);
    });
  });
}
