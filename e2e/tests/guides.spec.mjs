// The pages for those who work elsewhere (in Python, in pages of their own, in programs), and the files for agents and editors.

import { expect, test } from '../fixtures.mjs';
import { looksWhole } from '../looks/text-page.mjs';

const PAGES = {
  python: ['Python', 'Python', /pip install/],
  embed: ['in a page of yours', '自己的网页', /<shardwise-calculator/],
  'your-run': ['Your run here', '提交你的运行', /contribute run/],
  api: ['programs and agents', '程序与智能体', /z=1/],
};

for (const [folder, [english, chinese, code]] of Object.entries(PAGES)) {
  for (const [at, words, other] of [[`${folder}/`, english, `${folder}/zh/`], [`${folder}/zh/`, chinese, `${folder}/`]]) {
    test(`${at} says how, needs no program and leads on`, async ({ page }) => {
      const programs = [];
      page.on('request', (request) => request.url().endsWith('.wasm') && programs.push(request.url()));
      await page.goto(`./${at}`);
      await expect(page.getByRole('heading', { level: 1 })).toContainText(words);
      await expect(page.locator('pre').filter({ hasText: code }).first()).toBeVisible();
      // Every word of it is in its language: no ` is left of what is code.
      expect(await page.locator('main').innerText()).not.toMatch(/(?<!`)`(?!`)/);
      await expect(page.locator('.toc [aria-current=page]')).toHaveCount(1);
      await looksWhole(page);
      for (const href of await page.locator('.toc a, main li a').evaluateAll((links) => links.map((link) => link.href))) {
        expect([href, (await page.request.get(href)).status()]).toEqual([href, 200]);
      }
      expect(programs).toEqual([]);
      await page.locator('#language').click();
      await expect(page).toHaveURL(new RegExp(`/${other}$`));
    });
  }
}

test('the command line leads to each of them', async ({ page }) => {
  await page.goto('./command-line/');
  await expect(page.locator('.toc a')).toHaveText(['Command line', 'Python', 'Embed', 'API', 'Your run here']);
  await page.locator('.toc a').nth(2).click();
  await expect(page).toHaveURL(/\/embed\/$/);
});

test('agents and editors have files of their own, and every address in them is there', async ({ page, baseURL }) => {
  const llms = await page.request.get(new URL('llms.txt', baseURL).href);
  expect(llms.headers()['content-type']).toMatch(/^text\/plain/);
  const text = await llms.text();
  expect(text).toMatch(/^# Shardwise\n\n> /);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => new URL(address, llms.url()).href);
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) expect([link, (await page.request.get(link)).status()]).toEqual([link, 200]);

  const schema = await (await page.request.get(new URL('schema.json', baseURL).href)).json();
  expect(Object.keys(schema.$defs)).toEqual(expect.arrayContaining(['Question', 'Answer', 'Refusal', 'Plans', 'Offers']));
  expect(schema.$ref).toBe('#/$defs/Question');
});
