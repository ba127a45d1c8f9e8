// How a figure comes about: the panel beside it, and the page of all formulas.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { looksWhole } from '../looks/text-page.mjs';

test.use({ unfolded: ['memory'] });

const number = (text) => Number(text.replaceAll(',', '').match(/-?[\d.]+/)?.[0]);

test('every figure of the verdict says how it comes about, with its own value at the end', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const panel = page.locator('#how');
  const figures = [['#fig-throughput', 'dd b'], ['#fig-step', 'dd b'], ['#fig-run', 'dd b'], ['#fig-cost', 'dd b'], ['#fig-mfu', '.nb']];
  for (const [id, value] of figures) {
    const shown = number(await page.locator(`${id} ${value}`).first().innerText());
    const how = page.locator(`${id} > .how, ${id} dt .how`);
    await how.click();
    await expect(panel.locator('.formula').first()).toContainText('=');
    await expect.poll(async () => number(await panel.locator('h3 b').innerText())).toBe(shown);
    expect(number((await panel.locator('.put').innerText()).split('=').at(-1))).toBe(shown);
    await expect(panel.locator('.src a').first()).toHaveAttribute('href', /^https:/);
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    await expect(how).toBeFocused();
  }
});

test('a term that is a figure opens in turn, down to the formula on the page of all', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.locator('#memory .how').click();
  const panel = page.locator('#how');
  await expect(panel.locator('h3')).toContainText('72.6');
  await panel.getByRole('button', { name: /kv/i }).first().click();
  await expect(panel.locator('.formula').first()).toContainText('gpu_memory_utilization');
  expect(await violations(page, '#how')).toEqual([]);
  await panel.getByRole('link', { name: 'All formulas' }).click();
  await expect(page).toHaveURL(/\/methods\/#/);
  const anchor = new URL(page.url()).hash;
  await expect(page.locator(anchor).locator('.formula')).toBeVisible();
});

for (const [folder, other, words] of [['methods/', 'methods/zh/', 'Every formula'], ['methods/zh/', 'methods/', '全部公式']]) {
  test(`${folder} holds every formula with its source, and needs no program`, async ({ page }) => {
    const loaded = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(`./${folder}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(words);
    expect(loaded.filter((path) => path.endsWith('.wasm'))).toEqual([]);
    const formulas = page.locator('article.method');
    expect(await formulas.count()).toBeGreaterThan(80);
    const without = await formulas.evaluateAll((all) => all.filter((one) => !one.querySelector('.src a[href^="https:"]') || !one.querySelector('.formula')?.textContent.trim()).map(({ id }) => id));
    expect(without).toEqual([]);
    await looksWhole(page);
    await page.locator('#language').click();
    await expect(page).toHaveURL(new RegExp(`/${other}$`));
    await page.locator('.top-nav a').first().click();
    await expect(page.locator('html')).toHaveAttribute('lang', other.includes('zh') ? 'zh-CN' : 'en');
  });
}

test('the core speaks Chinese too, and the language travels in the link', async ({ page, calculator, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(baseURL).origin });
  await calculator.open('?lang=zh-CN');
  await calculator.settled();
  await page.locator('#hardware-gpus').fill('0');
  await expect(page.locator('#hardware-gpus-m')).toHaveText(/至少为 1/);
  await page.locator('#hardware-gpus').fill('16');
  await expect(page.locator('#flags-panel pre code').first()).toContainText('来自你的问题');
  await page.locator('#copy-link').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('?lang=zh-CN#');
  await page.locator('#language').click();
  await expect(page).toHaveURL(/\?lang=en/);
  await page.locator('#copy-link').click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).not.toContain('lang=');
});
