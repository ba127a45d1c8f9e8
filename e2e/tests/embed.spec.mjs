// The page inside another site, in a plain frame: it reports its height, and the host's script trusts no one else.

import { violations } from '../looks/axe.mjs';
import { element, expect, height, resting, started, test } from '../hosts/page.mjs';

test.use({ stored: true });

const frameHtml = (baseURL, sandbox) => `
  <iframe data-shardwise title="Shardwise" width="700" height="100" sandbox="${sandbox}" src="${baseURL}?embed"></iframe>
  <script src="${baseURL}embed.js"></script>`;

for (const sandbox of ['allow-scripts allow-same-origin', 'allow-scripts']) {
  test(`starts in a frame with sandbox="${sandbox}"`, async ({ openHost, baseURL }) => {
    const frame = await openHost(frameHtml(baseURL, sandbox));
    await started(frame);
    await expect(frame.contentFrame().getByRole('heading').first()).toBeAttached();
    await expect(frame.contentFrame().locator('.emb-fit')).toContainText('Fits');
  });
}

test('gives the frame the height of its content', async ({ openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const root = await started(frame);
  const content = () => root.evaluate((own) => Math.ceil(own.getBoundingClientRect().height));
  await expect.poll(() => height(frame)).toBeGreaterThanOrEqual(120);
  await expect.poll(async () => (await height(frame)) === Math.max(120, await content())).toBe(true);
});

test('heeds no height from elsewhere', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const before = await resting(frame);
  await page.evaluate(() => window.postMessage({ type: 'shardwise:height', v: 1, height: 19_000 }, '*'));
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
  expect(await height(frame)).toBe(before);
});

test('clamps a height that makes no sense', async ({ openHost, baseURL }) => {
  const frame = await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin'));
  const inside = frame.contentFrame().locator('html');
  await resting(frame);
  const send = (value) => inside.evaluate((_, v) => window.parent.postMessage({ type: 'shardwise:height', v: 1, height: v }, '*'), value);
  await send(1e9);
  await expect.poll(() => height(frame)).toBe(20_000);
  await send(-5);
  await expect.poll(() => height(frame)).toBe(120);
});

test('registers no service worker in a frame', async ({ openHost, baseURL }) => {
  const root = await started(await openHost(frameHtml(baseURL, 'allow-scripts allow-same-origin')));
  expect(await root.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
});

test('one card from 300 px on: question, verdict, three figures, plan and the way on', async ({ page, calculator, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [width, panels] of [[300, ''], [340, '&panels=verdict'], [640, '']]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('about:blank');
    await calculator.open(`?embed${panels}#v=1&model=qwen3-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=grpo&z=1`);
    await expect(page.locator('.emb-fit')).toContainText(/% sure|GiB/);
    await expect(page.locator('.emb-v .verdict-q')).toContainText(/^GRPO of Qwen3 8B on 8 × H100-SXM, 512 prompts × /);
    await expect(page.locator('.emb-n dt')).toHaveText(['Step', 'Throughput', 'Run']);
    await expect(page.locator('.emb-pl li').first()).not.toBeEmpty();
    await expect(page.locator('.emb-q')).toHaveCount(panels ? 0 : 1);
    await expect(page.locator('.plot, [role=tab]')).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await violations(page)).toEqual([]);
  }
  await expect(page.locator('#open-full')).toHaveAttribute('href', /^[^?]*#v=1&.*workload\.kind=grpo/);
  await page.locator('#copy-link').click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await page.locator('#open-full').evaluate((link) => link.href));
});

test('a model that is none is said with those nearest to it, and no other is answered', async ({ page, calculator }) => {
  await calculator.open('?embed#v=1&model=qwen3-8c&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=grpo&z=1');
  await expect(page.locator('#refused')).toContainText(/^Model: .*qwen3-8c.*Nearest: Qwen3 8B/);
  await expect(page.locator('.emb-n')).toHaveCount(0);
  await page.locator('#model').fill('Qwen3 8B');
  await expect(page.locator('.emb-n')).toBeVisible();
  await expect(page.locator('#refused')).toHaveCount(0);
});

test('works without a page around it', async ({ page, calculator }) => {
  await calculator.open('?embed&panels=form,verdict,flags');
  await page.getByLabel('GPUs').fill('64');
  await expect(page).toHaveURL(/hardware\.gpus=64/);
  await expect(page.locator('#flags-panel pre').first()).toContainText('trainer');
});

test('a host whose policy allows the site and nothing else shows it as well', async ({ page, openHost, baseURL }) => {
  const { origin } = new URL(baseURL);
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; script-src ${origin}; frame-src ${origin}">`;
  const frame = await openHost(policy + element(baseURL, 'model="qwen3-8b" theme="dark"'));
  const root = await started(frame);
  await expect(root).toHaveAttribute('data-theme', 'dark');
  const least = await resting(frame);
  expect(least).toBe(await root.evaluate((own) => Math.ceil(own.getBoundingClientRect().height)));
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => height(frame)).toBeGreaterThan(least);
});
