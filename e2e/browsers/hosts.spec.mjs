// The pages that embed the calculator, built by their own tools, in Firefox.

import { expect, test } from '@playwright/test';
import { build } from '../hosts/build.mjs';
import { serve } from '../serve.mjs';
import { firefox } from './firefox.mjs';

const HOSTS = ['sphinx-rtd', 'sphinx-furo', 'mkdocs', 'docusaurus', 'mdx', 'quarto', 'space'];

// Run in the page.
const heights = () => [...document.querySelectorAll('shardwise-calculator')].map((own) => {
  own.scrollIntoView({ block: 'center', behavior: 'instant' });
  return Number.parseInt(own.shadowRoot?.querySelector('iframe').style.height ?? '0', 10);
});
const listen = () => document.querySelector('shardwise-calculator').addEventListener('answer', ({ detail }) => { window.answer = detail; });
const ask = () => {
  const workload = { kind: 'sft', sequence_length: 4096, global_batch: 64 };
  document.querySelector('shardwise-calculator').question = { version: 1, model: 'qwen3-8b', hardware: { gpu: 'h100-sxm', gpus: 8 }, workload };
};

test.describe('firefox', () => {
  test.describe.configure({ mode: 'serial' });
  let site;
  let page;
  test.beforeAll(async () => {
    site = await serve({ at: '/a/b/' });
    page = await firefox();
  });
  test.afterAll(async () => {
    await page?.stop();
    await site?.stop();
  });

  for (const name of HOSTS) {
    test(`${name} shows two calculators, and answers`, async () => {
      const host = await serve({ dir: await build(name, site.url) });
      await page.open(host.url);
      // As high as their content: 480 is what a frame has before it says how high that is.
      await expect.poll(async () => (await page.run(heights)).filter((height) => height > 200 && height !== 480).length).toBe(2);
      await page.run(listen);
      await page.run(ask);
      await expect.poll(() => page.run(() => window.answer?.plan && window.answer.fits)).toBe(true);
      await host.stop();
    });
  }
});
