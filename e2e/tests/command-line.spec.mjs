// The page that says what the command line does: for those whose browser cannot run the calculator.

import { expect, test } from '../fixtures.mjs';
import { looksWhole } from '../looks/text-page.mjs';

for (const [folder, other, words] of [['command-line/', 'command-line/zh/', 'command line'], ['command-line/zh/', 'command-line/', '命令行']]) {
  test(`${folder} says how to get and ask it, and needs no program`, async ({ page }) => {
    const programs = [];
    page.on('request', (request) => request.url().endsWith('.wasm') && programs.push(request.url()));
    await page.goto(`./${folder}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(words);
    await expect(page.locator('pre').first()).toContainText('--path core --features cli');
    // What it shows as the answer is one.
    const answer = JSON.parse(await page.locator('pre').nth(2).innerText());
    expect(answer.fits).toBe(true);
    expect(answer.tokens_per_s_per_gpu).toBeGreaterThan(1000);
    await looksWhole(page);
    expect(programs).toEqual([]);
    await page.locator('#language').click();
    await expect(page).toHaveURL(new RegExp(`/${other}$`));
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('the calculator leads to it', async ({ page }) => {
    await page.goto('./');
    await page.locator('noscript').getByRole('link', { name: 'the command line' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('command line');
  });
});

test('the bar leads to it', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('.top-nav').getByRole('link', { name: 'Command line' }).click();
  await expect(page).toHaveURL(/\/command-line\/$/);
});

test('a page of text has the colours that were chosen, and changes them for every page', async ({ page, calculator }) => {
  await page.goto('./command-line/');
  const choice = (name) => page.getByRole('radio', { name });
  await expect(choice('System')).toBeChecked();
  await choice('Dark').check({ force: true });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.goto('./methods/zh/');
  await expect(page.locator('.theme input[value=dark]')).toBeChecked();
  await calculator.open();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('.theme input[value=dark]')).toBeChecked();
});
