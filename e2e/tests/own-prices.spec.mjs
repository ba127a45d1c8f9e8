// What one's own GPUs cost: machines that were bought, a price sheet of one's own, and sellers of the reader's own country.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const of = (hardware) => `#v=1&model=llama-3.3-70b&${hardware}&workload.kind=lora&workload.sequence_length=2048&workload.global_batch=64&workload.tokens=5e7&z=1`;
const LORA = of('hardware.gpu=h100-sxm&hardware.gpus=16&hardware.market.kinds=%5B%22on-demand%22%5D');
const SHEET = 'gpu,usd_per_gpu_hour,provider,instance,count,network,date\nh100-sxm,0.40,Campus,big node,8,3200,2026-11-01\nh200-sxm,0.90,,,,,\n';

const rent = (page) => page.locator('#rent');
const kept = (page) => page.evaluate(() => localStorage.getItem('shardwise-prices'));
const opened = async (page) => {
  const box = page.locator('#own-prices');
  if (!(await box.evaluate((details) => details.open))) await box.locator('> summary').click();
  return page.locator('#prices-t');
};

test('own 16 A100 bought in 2023: what an hour of them costs, and what the run does', async ({ page, calculator }) => {
  await calculator.open(of('hardware.gpu=a100-sxm-80g&hardware.gpus=16&hardware.market.kinds=%5B%22on-demand%22%5D'));
  await calculator.settled();
  await page.locator('#own-machines > summary').click();
  const own = page.locator('#own-machines');
  await own.locator('#hardware-owned-usd_per_gpu').fill('15,000');
  await calculator.settled();
  // Written off over five years, used 83 % of their hours: $15,000 / (5 x 8766 x 0.83) = $0.41, and power beside it.
  await expect(own.locator('.hint').last()).toContainText('$0.41');
  await expect(rent(page)).toHaveCount(0);
  await expect(page).toHaveURL(/hardware\.owned\.usd_per_gpu=15000/);
  await expect(page).not.toHaveURL(/hardware\.market/);
  const cost = async () => Number((await page.locator('#fig-cost b').textContent()).replace(/[$,]/g, ''));
  const five = await cost();
  expect(five).toBeGreaterThan(0);
  // Bought in 2023 and in use for three years: the run costs more.
  await own.locator('#hardware-owned-years').fill('3');
  await calculator.settled();
  expect(await cost()).toBeGreaterThan(five);
  expect(await violations(page)).toEqual([]);
});

test('one\'s own prices are asked beside the others, stay here and out of links, and go at a press', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  const before = await rent(page).textContent();
  await (await opened(page)).fill(SHEET);
  await calculator.settled();
  await expect(rent(page)).toHaveText(/^Rent 2 × big node at Campus: \$6\.40 an hour.*2026-11-01$/);
  await expect(page.locator('#prices-kept')).toContainText('beside all other offers: 2.');
  await expect(page).not.toHaveURL(/Campus|own/);
  expect(JSON.parse(await kept(page)).own).toHaveLength(2);
  // Beside a price that the question names they are not asked, and that is said.
  await page.locator('form details').evaluateAll((all) => all.forEach((details) => { details.open = true; }));
  await expect(page.locator('#prices-idle')).toHaveCount(0);
  await page.locator('#hardware-usd_per_gpu_hour').fill('2.5');
  await expect(page.locator('#prices-idle')).toContainText('not asked now');
  await page.locator('#hardware-usd_per_gpu_hour').fill('');
  await calculator.settled();
  await expect(page.locator('#prices-idle')).toHaveCount(0);
  // They stand among all offers, and every GPU type has its price by them.
  await calculator.unfold('offers');
  await expect(page.locator('#fold-offers tbody tr').first()).toContainText('Campus');
  await page.locator('#prices-only').click();
  await calculator.settled();
  await expect(page.locator('#prices-only')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.locator('#prices-kept')).toContainText('and no other offer');
  expect(await violations(page)).toEqual([]);
  // A later visit has them still; what is pressed to be gone is gone.
  await page.reload();
  await calculator.settled();
  await expect(rent(page)).toContainText('at Campus: ');
  await opened(page);
  await page.locator('#prices-erase').click();
  await calculator.settled();
  await expect(rent(page)).toHaveText(before);
  expect(await kept(page)).toBeNull();
  await expect(page.locator('#prices-t')).toBeFocused();
});

test('a row that is rented by name says so without a link to it, and goes with the sheet', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  // Dearer than all others: nobody would rent it unasked.
  await (await opened(page)).fill('gpu,price,count,network\nh100-sxm,30,8,3200\n');
  await calculator.settled();
  await expect(rent(page)).not.toContainText('your price sheet');
  await calculator.unfold('offers');
  await page.locator('#offers-all').click();
  await calculator.settled();
  const row = page.locator('#fold-offers tbody tr').filter({ hasText: 'your price sheet' });
  await row.getByRole('button').click();
  await calculator.settled();
  await expect(rent(page)).toContainText(' at your price sheet: $480.00 an hour');
  await expect(page.locator('#offer').getByRole('link', { name: 'Source' })).toHaveCount(0);
  await expect(page).toHaveURL(/hardware\.offer=own\/1/);
  await page.locator('#prices-erase').click();
  await calculator.settled();
  await expect(rent(page)).not.toContainText('your price sheet');
  await expect(page).not.toHaveURL(/hardware\.offer/);
});

test('what is wrong with a sheet is said by line and column, and the last good one stays', async ({ page, calculator }) => {
  await calculator.open(LORA);
  await calculator.settled();
  const box = await opened(page);
  await box.fill(SHEET);
  await calculator.settled();
  const said = page.locator('#prices-wrong');
  await box.fill('gpu,price\nh100-sxn,2\nh100-sxm,free\n');
  await expect(said).toContainText('Line 2, gpu: There is no GPU "h100-sxn" in the catalog. Write one of its ids; near: h100-sxm');
  await expect(said).toContainText('Line 3, price: "free" is no number');
  await expect(page.locator('#prices-kept')).toContainText('offers: 2.');
  expect(await violations(page)).toEqual([]);
  const many = `gpu,price\n${'h100-sxm,2\n'.repeat(101)}`;
  await page.locator('#prices-file').setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer: Buffer.from(many) });
  await expect(said).toContainText('more than 100 rows');
  await page.locator('#prices-file').setInputFiles({ name: 'long.csv', mimeType: 'text/csv', buffer: Buffer.alloc(70_000, 'x') });
  await expect(said).toContainText('more than 64 KiB');
  // A file takes the place of what was pasted.
  await page.locator('#prices-file').setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer: Buffer.from('gpu;price\nH100 SXM;0.30\n') });
  await calculator.settled();
  await expect(said).toHaveCount(0);
  await expect(rent(page)).toContainText('Rent 16 × ');
  await expect(rent(page)).toContainText('at your price sheet: $4.80 an hour');
  await expect(rent(page)).toContainText('date not known');
});

test('a link has them where that is asked for, and whoever opens it may do without', async ({ page, calculator, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(baseURL).origin });
  await calculator.open(LORA);
  await calculator.settled();
  const before = await rent(page).textContent();
  await (await opened(page)).fill(SHEET);
  await calculator.settled();
  await page.locator('#prices-link').click();
  await expect(page.locator('#prices-link')).not.toHaveText('Copy a link that has them');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.locator('#prices-erase').click();
  await calculator.settled();
  await page.goto('about:blank');
  await page.goto(link);
  await calculator.settled();
  await expect(rent(page)).toContainText('at Campus: ');
  expect(await kept(page)).toBeNull();
  await opened(page);
  await page.locator('#prices-leave').click();
  await calculator.settled();
  await expect(rent(page)).toHaveText(before);
  await expect(page).not.toHaveURL(/Campus/);
});

test('a storage that somebody else wrote is no price sheet', async ({ page, calculator }) => {
  await page.addInitScript(() => localStorage.setItem('shardwise-prices', '{"own":[{"gpu":"<img src=x>","usd_per_gpu_hour":-1}]}'));
  await calculator.open(LORA);
  await calculator.settled();
  await expect(rent(page)).not.toContainText('your price sheet');
  await opened(page);
  await expect(page.locator('#prices-kept')).toHaveCount(0);
});

test.describe('in Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('sellers in China come first where they have the machine, and all are asked by a press', async ({ page, calculator }) => {
    await calculator.open();
    await calculator.settled();
    const providers = page.locator('#hardware-market-providers');
    const home = page.locator('#home');
    // Nobody there rents out the first visit's H100: all are asked, and that is said.
    await expect(home).toContainText('中国卖家没有这种机器的价格');
    await page.locator('#hardware-gpu').selectOption('h20');
    await calculator.settled();
    await expect(home).toContainText('只计入中国卖家的报价');
    await expect(providers).toHaveValue('Alibaba Cloud, AutoDL, Tencent Cloud');
    await expect(rent(page)).toHaveText(/^在 (Alibaba Cloud|AutoDL|Tencent Cloud) 租/);
    await expect(page).toHaveURL(/providers/);
    // So it is after a reload.
    await page.reload();
    await calculator.settled();
    await expect(home).toContainText('只计入中国卖家的报价');
    expect(await violations(page)).toEqual([]);
    await page.locator('#home-switch').click();
    await calculator.settled();
    await expect(providers).toHaveValue('');
    await expect(home).toContainText('已计入所有卖家的报价');
    await page.locator('#home-switch').click();
    await calculator.settled();
    await expect(providers).toHaveValue('Alibaba Cloud, AutoDL, Tencent Cloud');
    // Back at a type that they do not have, all are asked again.
    await page.locator('#hardware-gpu').selectOption('h100-sxm');
    await calculator.settled();
    await expect(providers).toHaveValue('');
    await expect(home).toContainText('请填在上面');
    await expect(page.locator('#hardware-usd_per_gpu_hour')).toBeVisible();
  });

  test('a price sheet is read and refused in Chinese', async ({ page, calculator }) => {
    await calculator.open(LORA);
    await calculator.settled();
    const box = await opened(page);
    await box.fill('gpu,price\nh100-sxm,free\n');
    await expect(page.locator('#prices-wrong')).toContainText('第 2 行，price：');
    await expect(page.locator('#prices-wrong')).toContainText('不带货币符号');
    await box.fill('gpu,price\nh100-sxm,0.3\n');
    await calculator.settled();
    await expect(rent(page)).toContainText('你的价格表');
    expect(await violations(page)).toEqual([]);
  });
});
