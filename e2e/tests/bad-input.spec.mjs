// Bad input on every field: said beside the field, to a screen reader too; what was typed stays, and so does the last answer.

import { expect, test } from '../fixtures.mjs';
import { unfold } from '../looks/states.mjs';

test.use({ unfolded: ['calibrate'] });

const RUBBISH = ['-1', 'NaN', '1e999', '<script>alert(1)</script>', '🙂', '9'.repeat(400), '1,2,3.4.5'];

/** The questions that between them ask for every field. */
const QUESTIONS = [
  { kind: 'sft' },
  { kind: 'qlora' },
  { kind: 'grpo', then: (page) => page.locator('#workload-rl-schedule').selectOption('fully_async') },
  { kind: 'rollout' },
];

/** What a person sees of a refusal, in one look: each of them is another round trip. */
async function refusal(field) {
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  return field.evaluate((own) => {
    const said = own.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id));
    return {
      text: said.map((part) => part.innerText).join(' ').trim(),
      value: own.value,
      // In the field's own part of the form.
      beside: said[0].parentElement.contains(own),
      verdict: document.getElementById('v-h').innerText,
      fits: document.documentElement.scrollWidth <= innerWidth,
    };
  });
}

const seen = new Set();

for (const { kind, then } of QUESTIONS) {
  test(`every field of ${kind} refuses rubbish beside itself`, async ({ page, calculator }) => {
    await calculator.open();
    await calculator.task(kind);
    await unfold(page, 'form');
    await then?.(page);
    await calculator.settled();
    await expect(page.locator('form [aria-invalid=true]')).toHaveCount(0);
    // A kept calibration may have any name.
    const ids = await page.locator('form input[type=text]:visible:not(#rate, #cal-name)').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(12);
    for (const id of ids.filter((own) => !seen.has(own))) {
      seen.add(id);
      const field = page.locator(`[id="${id}"]`);
      const before = await field.inputValue();
      const verdict = await page.locator('#v-h').innerText();
      for (const rubbish of RUBBISH) {
        await field.fill(rubbish);
        // A name is no error before its field is left.
        if (id === 'model') await field.blur();
        await expect(page.locator('.verdict')).toHaveClass(/is-stale/);
        const { text, ...rest } = await refusal(field);
        expect(text, `${id} says what is wrong with ${rubbish.slice(0, 20)}`).toMatch(/\p{L}{2}.*[.。]/u);
        expect(text).not.toMatch(/undefined|\[object/);
        expect(rest, `${id} beside ${rubbish.slice(0, 20)}`).toEqual({ value: rubbish, beside: true, verdict, fits: true });
      }
      await field.fill(before);
      await expect(page.locator('.verdict')).not.toHaveClass(/is-stale/);
    }
  });
}

test('the fields of a run of one\'s own and of a limit refuse rubbish too', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#gpus .seg-b').nth(2).click();
  await page.locator('#money > summary').click();
  for (const field of [page.locator('#limit'), page.locator('#rate'), ...(await page.locator('#calibrate input[type=text]:not(#cal-name)').all())]) {
    for (const rubbish of RUBBISH) {
      await field.fill(rubbish);
      expect((await refusal(field)).text).toMatch(/\p{L}{2}.*[.。]/u);
      await expect(page.locator('.verdict')).not.toHaveClass(/is-stale/);
    }
    await field.fill('');
    // A run without tokens has no limit to hold: that is said still.
    if (!['limit', 'rate'].includes(await field.getAttribute('id'))) await expect(field).not.toHaveAttribute('aria-invalid', 'true');
  }
});

test('a config.json of rubbish is refused beside its box', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#use-config').click();
  const box = page.locator('#model-config');
  for (const rubbish of [...RUBBISH, '{', '[]', 'null', '{"model_type": "llama"}', '{"hidden_size": -1}', `{"a": ${'['.repeat(5_000)}`]) {
    await box.fill(rubbish);
    await test.step(rubbish.slice(0, 30), async () => expect((await refusal(box)).text).toMatch(/\p{L}{2}/u));
    await expect(page.locator('.verdict')).toHaveClass(/is-stale/);
    await expect(box).toHaveValue(rubbish);
  }
});

test('a script of rubbish is answered in the box', async ({ page, calculator }) => {
  await calculator.open();
  await page.locator('#paste-open').click();
  for (const rubbish of [...RUBBISH, '\u202e'.repeat(50), '{{{{', 'python3 -m verl.trainer.main_ppo '.repeat(3_000)]) {
    await page.locator('#paste-t').fill(rubbish);
    await expect(page.locator('#paste .outcome')).toContainText(/\p{L}{2}/u);
    expect(await calculator.sideways()).toBeLessThanOrEqual(0);
  }
  await expect(page.locator('.verdict')).not.toHaveClass(/is-stale/);
});
