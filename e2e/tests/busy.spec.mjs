// The page says that it has work open (`data-busy`), for whoever waits for it. Nothing here waits a second time for what
// must be there by then.

import { expect, test } from '../fixtures.mjs';

test.use({ unfolded: ['plans', 'scaling'] });

/** Keeps files back until the function that comes out is called. */
async function hold(context, pattern) {
  let go;
  const held = new Promise((done) => { go = done; });
  await context.route(pattern, async (route) => {
    await held;
    await route.continue();
  });
  return go;
}

/** Types into a field; whether the page is busy in the same breath. */
const type = (page, selector, text) => page.locator(selector).evaluate((field, typed) => {
  field.value = typed;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  return document.documentElement.hasAttribute('data-busy');
}, text);

test('from the start until the last part stands', async ({ page, context, calculator }) => {
  const go = await hold(context, '**/texts-*_bg.wasm');
  await calculator.open();
  await expect(calculator.root).toHaveAttribute('data-busy', '');
  expect(await page.locator('#plans tbody tr').count()).toBe(0);
  go();
  await calculator.settled();
  expect(await page.locator('#plans tbody tr').count()).toBe(12);
  expect(await page.locator('#flags-panel pre').count()).toBeGreaterThan(0);
  expect(await page.locator('#scaling svg').count()).toBeGreaterThan(0);
  expect(await page.locator('#gpus tbody tr').count()).toBeGreaterThan(5);
  expect(await page.locator('.tab-off').count()).toBeGreaterThan(0);
  await expect(calculator.root).not.toHaveAttribute('data-busy', /.*/);
});

test('from a key until address, charts, flags and what is read out have followed', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  expect(await type(page, '#hardware-gpus', '16')).toBe(true);
  await calculator.settled();
  expect(page.url()).toContain('hardware.gpus=16');
  expect(await page.locator('#flags-panel pre').first().textContent()).toContain('trainer.nnodes=2');
  expect(await page.locator('#scaling tr.is-sel th').textContent()).toBe('16');
  const [figure] = /[\d,]+/.exec(await page.locator('#fig-throughput b').first().textContent());
  expect(await page.locator('#announcement').textContent()).toContain(figure);
});

test('while a width sets off new charts', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.locator('#fold-scaling').scrollIntoViewIfNeeded();
  const wide = () => page.locator('#scaling svg').first().getAttribute('viewBox');
  const before = await wide();
  await page.setViewportSize({ width: 600, height: 900 });
  await calculator.settled();
  expect(await wide()).not.toBe(before);
});

test.describe('without a worker', () => {
  test.use({ expected: [/Failed to load resource|net::ERR_FAILED|Failed to fetch|texts-/] });

  test('not for what waits for another try', async ({ page, context, calculator }) => {
    await context.route('**/worker-*.js', (route) => route.abort());
    await calculator.open();
    const said = page.locator('#flags-panel [role=alert]');
    await expect(said).toBeVisible();
    await calculator.settled();
    await expect(calculator.root).not.toHaveAttribute('data-busy', /.*/);
    await context.unroute('**/worker-*.js');
    await said.getByRole('button', { name: 'Try again' }).click();
    await calculator.settled();
    expect(await page.locator('#flags-panel pre').count()).toBeGreaterThan(0);
  });
});

test('the accuracy page until its data is drawn', async ({ page, context, accuracy }) => {
  const go = await hold(context, '**/runs-*.json');
  await page.goto('./accuracy/');
  await accuracy.started();
  await expect(accuracy.root).toHaveAttribute('data-busy', '');
  go();
  await accuracy.settled();
  expect(await accuracy.marks(accuracy.points)).toBeGreaterThan(100);
});
