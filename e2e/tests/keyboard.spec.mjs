// A whole story without a pointer: from the address bar to copied flags, and each stop of the way is seen.

import { expect, test } from '../fixtures.mjs';

// Where the focus is, is looked at before a smooth scroll would have ended.
test.use({ reducedMotion: 'reduce' });

/** What has the focus: its id or its words, and whether a ring can be seen around it or around what stands for it. */
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  const ring = (element) => {
    const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(element);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow.includes('inset') || (element.matches('.hit') && borderColor !== '');
  };
  const box = at.getBoundingClientRect();
  // A hidden radio is drawn by the word beside it.
  const drawn = at.matches('input[type=radio]') && at.nextElementSibling ? at.nextElementSibling : at;
  return {
    name: at.id || at.getAttribute('aria-label') || at.textContent.trim().slice(0, 40) || at.tagName,
    body: at === document.body,
    seen: ring(drawn) || at.matches('svg *'),
    inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
});

/** Presses Tab until the locator has the focus; each stop on the way must be seen. */
async function tabTo(page, locator, most = 80) {
  for (let step = 0; step < most; step += 1) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    expect(at.body, `after ${step + 1} steps something has the focus`).toBe(false);
    expect(at.seen, `the focus on ${at.name} is seen`).toBe(true);
    if (await locator.evaluate((element) => element === document.activeElement)) return step + 1;
  }
  throw new Error(`not reached in ${most} steps: ${locator}`);
}

test('from the empty page to copied flags', async ({ page, calculator, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await calculator.open();
  await calculator.settled();

  // The first stop leads past the bar and the form.
  const skip = page.locator('.skip').first();
  expect(await tabTo(page, skip)).toBe(1);
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement.closest('#answer, .act') !== null)).toBe(true);

  // The question: the model by name, another GPU, another count.
  await page.reload();
  await calculator.started();
  await calculator.settled();
  const model = page.locator('#model');
  await tabTo(page, model);
  await page.keyboard.type('Qwen3-30B-A3B');
  await expect(page.locator('.verdict-q')).toContainText(/Qwen3.30B.A3B/);
  await tabTo(page, page.locator('#hardware-gpus'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('16');
  await expect(page.locator('.verdict-q')).toContainText('16 ×');

  // A wrong value is said beside the field while the focus stays.
  await page.keyboard.type('x');
  await expect(page.locator('#hardware-gpus')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#hardware-gpus')).toBeFocused();
  await page.keyboard.press('Backspace');
  await expect(page.locator('#hardware-gpus')).not.toHaveAttribute('aria-invalid', 'true');

  const gpu = page.locator('#hardware-gpu');
  await tabTo(page, gpu);
  const before = await gpu.inputValue();
  await page.keyboard.press('ArrowDown');
  if ((await gpu.inputValue()) === before) {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  }
  await expect.poll(() => gpu.inputValue()).not.toBe(before);

  // The algorithm by its first letter and by arrows, as lists do.
  const algorithm = page.locator('#algorithm');
  await tabTo(page, algorithm);
  await page.keyboard.type('D');
  await expect(algorithm).toHaveValue('dapo');
  await page.keyboard.press('ArrowUp');
  await expect(algorithm).toHaveValue('grpo');

  // What is folded opens with Enter.
  await tabTo(page, page.locator('#plan-controls > summary'));
  await page.keyboard.press('Enter');
  await expect(page.locator('#plan-tensor_parallel')).toBeVisible();

  // The tabs of the flags are one stop; arrows choose.
  await page.locator('.dock a[href="#flags"]').focus();
  await page.keyboard.press('Enter');
  await calculator.settled();
  await tabTo(page, page.locator('[role=tab][aria-selected=true]'));
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[role=tab][aria-selected=true]')).toBeFocused();
  await page.keyboard.press('Home');
  await calculator.settled();
  const copy = page.locator('#flags-panel .copy').first();
  await tabTo(page, copy);
  await page.keyboard.press('Enter');
  await expect(copy).toHaveClass(/btn-ok/);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Qwen/Qwen3-30B-A3B');
});

test('the paste box takes the focus, and Escape gives it back', async ({ page, calculator }) => {
  await calculator.open();
  const opener = page.locator('#paste-open');
  await tabTo(page, opener);
  await page.keyboard.press('Enter');
  await expect(page.locator('#paste-t')).toBeFocused();
  await page.keyboard.type('deepspeed --num_gpus 8 train.py');
  await page.keyboard.press('Escape');
  await expect(page.locator('#paste')).toBeHidden();
  await expect(opener).toBeFocused();
});

test('every stop from the first to the last is seen, and the way leads out again', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const names = [];
  for (let step = 0; step < 400; step += 1) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (at.body) break;
    names.push(at.name);
    expect(at.seen, `the focus on ${at.name} is seen`).toBe(true);
    expect(at.inside, `${at.name} has scrolled into the window`).toBe(true);
  }
  expect(names.length).toBeGreaterThan(60);
  expect(names.length).toBeLessThan(400);
});

test('backwards from the top the last stop is in the window, and stays there', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.keyboard.press('Shift+Tab');
  // What came near with it is laid out with the next frames.
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))); }));
  const at = await focused(page);
  expect(at.body).toBe(false);
  expect(at.inside, `${at.name} is in the window`).toBe(true);
});
