// A worker that hangs or dies is replaced once, and what it had in hand is done by the next. Where that fails too, the page does the
// engine's work itself, and of texts and sheets it says that they are not to be had.

import { expect, test } from '../fixtures.mjs';
import { rested } from '../pages/rest.mjs';

// What is stored for offline use would be asked instead; Playwright says aloud that it keeps that away.
test.use({ serviceWorkers: 'block', expected: [/registration blocked by Playwright/] });

const FILE = '**/worker-*.js';
// It starts, and is never heard of again.
const HANGS = 'self.postMessage(null);';
const DIES = "self.postMessage(null); self.addEventListener('message', () => { throw new Error('gone'); });";
// Longer than the page waits for an answer: app/src/client/health.rs.
const PATIENCE = 61_000;

const code = (page) => page.locator('#flags-panel pre').first();

// The engine is started first, the other worker after it.
const ENGINE = 0;
const TEXTS = 1;

/** Puts a script in the place of so many workers from one on; the others are the site's. */
async function replace(page, from, count, body) {
  const asked = [];
  await page.route(FILE, (route) => {
    const place = asked.push(route.request().url()) - 1;
    if (place >= from && place < from + count) return route.fulfill({ contentType: 'text/javascript', body });
    return route.fallback();
  });
  return asked;
}

test('a worker that dies is replaced, and its answer comes', async ({ page, calculator }) => {
  await replace(page, TEXTS, 1, DIES);
  await calculator.open();
  await expect(code(page)).toContainText('verl');
});

test('a worker that hangs is replaced after a while, and its answer comes', async ({ page, calculator }) => {
  const asked = await replace(page, TEXTS, 1, HANGS);
  await page.clock.install();
  await page.goto('./');
  await expect(calculator.root).toHaveAttribute('data-ready', '1');
  await expect.poll(() => asked.length).toBe(2);
  await expect(code(page)).toHaveCount(0);
  await page.clock.runFor(PATIENCE);
  await expect(code(page)).toContainText('verl');
});

test('where the next one dies too, the page says so and starts another when asked', async ({ page, calculator }) => {
  await replace(page, TEXTS, 2, DIES);
  await page.goto('./');
  await page.locator('#flags-panel [role=alert]').getByRole('button', { name: 'Try again' }).click();
  await expect(code(page)).toContainText('verl');
});

test('an engine that dies is replaced, and the answer comes', async ({ page, calculator }) => {
  await replace(page, ENGINE, 1, DIES);
  await calculator.open();
  await expect(page.locator('#v-h')).toContainText('Fits');
});

test('without workers the page answers by itself, and says what is missing', async ({ page, calculator }) => {
  await replace(page, ENGINE, 100, DIES);
  await calculator.open();
  await expect(page.locator('#v-h')).toContainText('Fits');
  await page.locator('#hardware-gpus').fill('16');
  await expect(page.locator('#verdict')).toContainText('16 × H100-SXM');
  await expect(page.locator('#gpus')).toHaveAttribute('aria-busy', 'false');
  await expect(page.locator('#flags-panel [role=alert]')).toBeVisible();
});

// Answers once, to what has its program loaded, and dies of the next thing.
const DIES_LATER = `self.postMessage(null);
let asked = 0;
self.addEventListener('message', ({ data }) => {
  if (asked++) throw new Error('gone');
  self.postMessage(JSON.stringify({ id: JSON.parse(data).id, result: null }));
});`;
const HELPER = 2;

const cores = (page, count) => page.addInitScript((own) => {
  Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => own });
}, count);

/** What the comparison says once it is of so many GPUs. */
async function compared(page, gpus) {
  await page.locator('#hardware-gpus').fill(gpus);
  await expect(page.locator('#verdict')).toContainText(`${gpus} × H100-SXM`);
  await rested(page);
  return page.locator('#gpus').textContent();
}

test('the types that the chart does not show are asked once all are to be seen', async ({ page, calculator }) => {
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    window.compared = 0;
    Worker.prototype.postMessage = function count(message, ...more) {
      window.compared += String(message).includes('"is":"compare"') ? 1 : 0;
      return post.call(this, message, ...more);
    };
  });
  await calculator.open();
  await calculator.settled();
  await page.evaluate(() => {
    const gpus = document.getElementById('gpus');
    const seen = () => ({ drawn: gpus.querySelector('.plot').innerHTML, compared: window.compared });
    new MutationObserver(() => {
      if (gpus.getAttribute('aria-busy') === 'false') requestAnimationFrame(() => { window.first ??= seen(); });
    }).observe(gpus, { attributeFilter: ['aria-busy'] });
    window.seen = seen;
  });
  await page.locator('#hardware-gpus').fill('16');
  await expect(page.locator('#verdict')).toContainText('16 × H100-SXM');
  await calculator.settled();
  const { first, last } = await page.evaluate(() => ({ first: window.first, last: window.seen() }));
  expect(first).toEqual(last);
  await page.locator('#all-gpus').click();
  await calculator.settled();
  const whole = await page.evaluate(() => window.seen());
  expect(whole.compared).toBeGreaterThan(last.compared);
  expect(await page.locator('#gpus tbody tr').count()).toBeGreaterThan(45);
  // The first are those that stood there before.
  await page.locator('#all-gpus').click();
  await calculator.settled();
  expect(await page.evaluate(() => window.seen().drawn)).toBe(last.drawn);
});

test('engines beside the first share the comparison, which is the same', async ({ page, calculator, context }) => {
  await cores(page, 2);
  await calculator.open();
  const alone = await compared(page, '16');
  const other = await context.newPage();
  await cores(other, 16);
  const asked = await replace(other, 0, 0, '');
  await other.goto('./');
  // The two that every page has, and three more.
  await expect.poll(() => asked.length).toBe(5);
  expect(await compared(other, '16')).toBe(alone);
  await other.close();
});

test('what an engine beside the first had in hand when it died is asked of the others', async ({ page, calculator }) => {
  await cores(page, 16);
  const asked = await replace(page, HELPER, 100, DIES_LATER);
  await calculator.open();
  await expect.poll(() => asked.length).toBe(5);
  for (const gpus of ['16', '32']) expect(await compared(page, gpus)).toContain('H200');
});
