// Who rents the GPUs out: the cheapest offer by name, every offer with its price and its day, one's own providers, and what a
// run really costs.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const LORA = '#v=1&model=llama-3.3-70b&hardware.gpu=h100-sxm&hardware.gpus=16&hardware.market.kinds=%5B%22on-demand%22%5D&workload.kind=lora&workload.sequence_length=2048&workload.global_batch=64&workload.tokens=5e7&z=1';

const rent = (page) => page.locator('#rent');
const hint = (page) => page.locator('#offer');
const rows = (page) => page.locator('#fold-offers tbody tr');
const dollars = (text) => Number(/\$([\d,.]+)/.exec(text)[1].replaceAll(',', ''));

test('a first visit is told what to order, from whom, at a price of which day', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await expect(rent(page)).toHaveText(/^Rent one machine with .+ at .+: \$[\d.]+ an hour, [\d.]+ h, \$[\d,]+\. on demand, 20\d\d-\d\d-\d\d$/);
  await expect(hint(page).getByRole('link', { name: 'Source' })).toHaveAttribute('href', /^https:/);
  // Hours times dollars an hour are the run's dollars, as far as they are shown.
  const said = await rent(page).textContent();
  const [, hourly, hours, usd] = /\$([\d.]+) an hour, ([\d.]+) h, \$([\d,]+)/.exec(said).map((part) => Number(String(part).replaceAll(',', '')));
  expect(Math.abs(hourly * hours - usd)).toBeLessThan(hourly * 0.06 + 0.6);
  await expect(page.locator('#fig-cost b')).toHaveText(`$${usd}`);
  expect(await violations(page)).toEqual([]);
});

test('one names one\'s own two providers, and the answer follows at once', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  const before = await rent(page).textContent();
  await calculator.field('Providers').fill('AWS, OCI');
  await calculator.settled();
  await expect(rent(page)).toHaveText(/^Rent \d+ × .+ at (AWS|OCI): /);
  expect(dollars(await rent(page).textContent())).toBeGreaterThan(dollars(before));
  await expect(page).toHaveURL(/hardware\.market\.providers=%5B%22AWS%22,%22OCI%22%5D/);
  await page.reload();
  await calculator.settled();
  await expect(calculator.field('Providers')).toHaveValue('AWS, OCI');
  // Nobody of that name: said beside the field, with all who are known; what was typed stays.
  await calculator.field('Providers').fill('Nobody');
  await expect(page.locator('#hardware-market-providers-m')).toContainText('Voltage Park');
  await expect(calculator.field('Providers')).toHaveValue('Nobody');
  await calculator.field('Providers').fill('');
  await calculator.settled();
  await expect(rent(page)).toHaveText(before);
});

test('every offer has its row, and the one that is taken stays until the cheapest is wanted again', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  await page.locator('#all-offers').click();
  await calculator.settled();
  await expect(page.locator('#fold-offers')).toHaveAttribute('open', '');
  const shown = await rows(page).count();
  await page.locator('#offers-all').click();
  await calculator.settled();
  expect(await rows(page).count()).toBeGreaterThan(shown);
  await expect(page.locator('#fold-offers')).toContainText('instances cannot be joined');
  // Every row has the day of its price and where it is from.
  for (const link of await rows(page).locator('th a').all()) await expect(link).toHaveAttribute('href', /^https:/);
  const second = rows(page).filter({ has: page.getByRole('button') }).first();
  const name = await second.locator('th b, th strong').first().textContent();
  await second.getByRole('button').click();
  await calculator.settled();
  await expect(rent(page)).toContainText(` at ${name}: `);
  await expect(page).toHaveURL(/hardware\.offer=/);
  await page.locator('#cheapest-offer').click();
  await calculator.settled();
  await expect(page).not.toHaveURL(/hardware\.offer=/);
  await expect(rows(page).first()).toHaveAttribute('aria-current', 'true');
  expect(await violations(page)).toEqual([]);
});

test('the chart names who rents each type out, and why some have no price', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  const chart = page.locator('#gpus svg').filter({ has: page.locator('.rail') }).first();
  await expect(chart).toContainText('Voltage Park');
  await expect(chart).toContainText('no offer holds it');
  await expect(page.locator('#gpus .legend')).toContainText('Prices of all offers');
});

test('spot has its own prices, and a machine that is stated by hand is nobody\'s', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  await calculator.field('Cheapest offer').selectOption('spot');
  await calculator.settled();
  await expect(rent(page)).toContainText('. spot, ');
  await calculator.field('$ per hour').fill('2.5');
  await calculator.settled();
  await expect(rent(page)).toHaveCount(0);
  await expect(page.locator('.group .hint', { hasText: 'no offer is looked for' })).toBeVisible();
  await expect(page).toHaveURL(/usd_per_gpu_hour=2\.5/);
  await expect(page).not.toHaveURL(/hardware\.market/);
});

test('a machine that no offer holds says why, and still has its throughput', async ({ page, calculator }) => {
  await calculator.open(LORA.replace('h100-sxm', 'rtx-4090'));
  await calculator.settled();
  await expect(hint(page)).toContainText('states the network between instances');
  await expect(page.locator('#fig-throughput b')).toHaveText(/\d/);
  await expect(page.locator('#fig-cost b')).toHaveText('–');
});

test('what a run meets beside its steps is counted where that is wished', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  await calculator.unfold('run');
  const hours = async () => Number((await page.locator('#fig-run b').textContent()).replaceAll(',', ''));
  const before = await hours();
  await page.locator('#operations').check();
  await calculator.settled();
  expect(await hours()).toBeGreaterThan(before);
  await expect(page.locator('#fig-run')).toContainText('of the time trains');
  await expect(page.locator('#operations-parts tr')).toHaveCount(5);
  await expect(page).toHaveURL(/&operations=%7B%7D/);
  await page.getByLabel('Start-up, s').fill('0');
  await page.getByLabel('Failures', { exact: true }).uncheck();
  await calculator.settled();
  await expect(page.locator('#operations-parts tr')).toHaveCount(2);
  await page.locator('#operations-parts .how').first().click();
  await expect(page.locator('#how')).toContainText('h');
  await page.keyboard.press('Escape');
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await calculator.settled();
  await calculator.unfold('run');
  await expect(page.getByLabel('Failures', { exact: true })).not.toBeChecked();
});

test('what is shown in yuan is the same in dollars at the rate that one types', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  const usd = dollars(await rent(page).textContent());
  await page.locator('#money > summary').click();
  await page.locator('#currency').selectOption('cny');
  await calculator.settled();
  await expect(page.locator('#currency')).toBeFocused();
  await page.locator('#rate').fill('10');
  await page.locator('#rate').press('Enter');
  await calculator.settled();
  const [, yuan] = /¥([\d.,]+)/.exec(await rent(page).textContent());
  expect(Number(yuan.replaceAll(',', ''))).toBeCloseTo(10 * usd, 1);
  await expect(page.locator('#fig-cost b')).toHaveText(/^¥/);
  await calculator.unfold('offers');
  await expect(page.locator('#fold-offers thead')).toContainText('¥ per GPU hour');
  await expect(page.locator('#answer')).not.toContainText(/\$\d/);
  // Kept in this browser, never in the link.
  await expect(page).not.toHaveURL(/cny|rate/i);
  await page.reload();
  await calculator.settled();
  await expect(page.locator('#fig-cost b')).toHaveText(/^¥/);
  await page.locator('#money > summary').click();
  await page.locator('#currency').selectOption('usd');
  await calculator.settled();
  expect(dollars(await rent(page).textContent())).toBe(usd);
});

test.describe('in Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('the order is a Chinese sentence', async ({ page, calculator }) => {
    await calculator.open(LORA.replace('h100-sxm', 'h20'));
    await calculator.settled();
    await expect(rent(page)).toHaveText(/^在 .+ 租 \d+ (?:个|台) .+：每小时 ¥[\d.,]+，[\d.,]+ 小时，共 ¥[\d,.]+。 按量付费/);
    await calculator.unfold('offers');
    await expect(page.locator('#fold-offers')).toContainText(/8 个报价中有 \d 个可用/);
    expect(await violations(page)).toEqual([]);
  });
});
