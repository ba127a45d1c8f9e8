// A worker that hangs or dies is replaced once, and what it had in hand is done by the next; where that fails too, the page says so.

import { expect, test } from '../fixtures.mjs';

// What is stored for offline use would be asked instead; Playwright says aloud that it keeps that away.
test.use({ serviceWorkers: 'block', expected: [/registration blocked by Playwright/] });

const FILE = '**/texts-worker-*.js';
// It starts, and is never heard of again.
const HANGS = 'self.postMessage(null);';
const DIES = "self.postMessage(null); self.addEventListener('message', () => { throw new Error('gone'); });";
// Longer than the page waits for an answer: app/src/client/health.rs.
const PATIENCE = 61_000;

const code = (page) => page.locator('#flags-panel pre').first();

/** Puts a script in the place of the first workers; the others are the site's. */
async function replaceFirst(page, count, body) {
  let left = count;
  const asked = [];
  await page.route(FILE, (route) => {
    asked.push(route.request().url());
    if (left-- > 0) return route.fulfill({ contentType: 'text/javascript', body });
    return route.fallback();
  });
  return asked;
}

test('a worker that dies is replaced, and its answer comes', async ({ page, calculator }) => {
  await replaceFirst(page, 1, DIES);
  await calculator.open();
  await expect(code(page)).toContainText('verl');
});

test('a worker that hangs is replaced after a while, and its answer comes', async ({ page, calculator }) => {
  const asked = await replaceFirst(page, 1, HANGS);
  await page.clock.install();
  await page.goto('./');
  await expect(calculator.root).toHaveAttribute('data-ready', '1');
  await expect.poll(() => asked.length).toBe(1);
  await expect(code(page)).toHaveCount(0);
  await page.clock.runFor(PATIENCE);
  await expect(code(page)).toContainText('verl');
});

test('where the next one dies too, the page says so and starts another when asked', async ({ page, calculator }) => {
  await replaceFirst(page, 2, DIES);
  await page.goto('./');
  await page.locator('#flags-panel [role=alert]').getByRole('button', { name: 'Try again' }).click();
  await expect(code(page)).toContainText('verl');
});
