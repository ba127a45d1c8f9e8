// The run: how long it is, by steps or a data set; when it is done, what it costs and writes; lengths counted from a sample.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

test.use({ unfolded: ['run'] });

const TRAINING = '#v=1&model=llama-3.1-70b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=lora&workload.sequence_length=4096&workload.global_batch=64&z=1';

const section = (page) => page.locator('#run');
const examples = (page) => page.locator('#workload-run-examples');
/** The figures of the run by their names: hours and dollars, the end, steps, a checkpoint. */
const card = (page, name) => section(page).locator('.runr > div', { hasText: name });

/** Hours and dollars of the run as numbers. */
async function costs(page) {
  const said = await card(page, 'Time and cost').locator('b').textContent();
  const [, hours, usd] = /^([\d.,]+)\sh, \$([\d.,]+)$/.exec(said);
  return [hours, usd].map((text) => Number(text.replaceAll(',', '')));
}

test('training asks for a data set, and shows nothing red before one is typed', async ({ page, calculator }) => {
  await calculator.open(TRAINING);
  await calculator.settled();
  await expect(section(page)).toContainText('Type how many examples');
  await expect(section(page).locator('[aria-invalid=true], .msg')).toHaveCount(0);
  await examples(page).fill('50k');
  await expect(card(page, 'Steps').locator('b')).toHaveText('782');
  const [hours, usd] = await costs(page);
  await page.locator('#workload-run-epochs').fill('2');
  await expect(card(page, 'Steps').locator('b')).toHaveText('1,563');
  const twice = await costs(page);
  expect(Math.abs(twice[0] - 2 * hours)).toBeLessThan(0.2);
  expect(Math.abs(twice[1] - 2 * usd)).toBeLessThan(2);
  await expect(card(page, 'Done').locator('b')).toHaveText(/^[A-Z][a-z]{2}, [A-Z][a-z]{2} \d+, \d{2}:\d{2}$/);
  // Kept checkpoints take their room on the disk, and the link carries all of it.
  await page.locator('#workload-run-checkpoints').fill('3');
  await expect(card(page, 'checkpoint')).toContainText(/3 kept: 7\.46.GB on disk/);
  await calculator.settled();
  await expect(page).toHaveURL(/workload\.run\.epochs=2\.0&workload\.run\.examples=50000/);
  await page.reload();
  await calculator.settled();
  await expect(examples(page)).toHaveValue('50k');
  await expect(card(page, 'Steps').locator('b')).toHaveText('1,563');

  // What was typed last says how long it is: tokens take the place of the data set, and the other way round.
  await page.locator('#workload-tokens').fill('2e8');
  await expect(examples(page)).toHaveValue('');
  await expect(card(page, 'Steps')).toContainText('200');
  await examples(page).fill('1000');
  await expect(page.locator('#workload-tokens')).toHaveValue('');
  await expect(card(page, 'Steps').locator('b')).toHaveText('16');
  // What cannot be read is said beside its field, and the last answer stays.
  await examples(page).fill('none');
  await expect(examples(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#workload-run-examples-m')).toContainText(/\p{L}{2}.*\./u);
  await expect(card(page, 'Steps').locator('b')).toHaveText('16');
});

test('RL asks for steps, and shows what an assumed run costs at once', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await expect(card(page, 'Steps').locator('b')).toHaveText('100, assumed');
  const [hours, usd] = await costs(page);
  expect(hours).toBeGreaterThan(0);
  await expect(page.locator('#workload-tokens')).toHaveCount(0);
  await page.locator('#workload-run-steps').fill('200');
  await expect(card(page, 'Steps').locator('b')).toHaveText('200');
  await expect(page.locator('#run-workload-run-steps')).toHaveValue('200');
  const twice = await costs(page);
  expect(Math.abs(twice[0] - 2 * hours)).toBeLessThan(0.2);
  expect(Math.abs(twice[1] - 2 * usd)).toBeLessThan(2);
  // A data set of prompts says the steps, too: 512 prompts each.
  await examples(page).fill('51,200');
  await expect(page.locator('#workload-run-steps')).toHaveValue('');
  await expect(card(page, 'Steps').locator('b')).toHaveText('100');
  // Tokens of an old link stay in sight.
  await calculator.open(`${new URL(page.url()).hash.replace(/&workload\.run\.examples=\d+/, '').replace('&z=1', '')}&workload.tokens=1e9&z=1`);
  await expect(page.locator('#workload-tokens')).toHaveValue('1,000,000,000');
});

test('lengths are counted from a sample, and taken', async ({ page, calculator }) => {
  await calculator.open(TRAINING);
  await calculator.settled();
  await section(page).locator('.sample summary').click();
  const lines = Array.from({ length: 100 }, (_, at) => JSON.stringify({ role: 'user', text: 'x'.repeat(10 * (at + 1)) }));
  await page.locator('#sample-t').fill(lines.join('\n'));
  const found = section(page).locator('.sample-r');
  await expect(found).toContainText('100 examples counted.');
  await expect(found).toContainText('About 152 tokens on average, 95 % have at most 285, the longest has 300.');
  await expect(section(page)).toContainText('estimated: 0.3 a character');
  await page.locator('#sample-use').click();
  await expect(page.locator('#workload-sequence_length')).toHaveValue('320');
  await expect(page.locator('#run-workload-mean_sequence_length')).toHaveValue('152');
  await expect(page.locator('#workload-sequence_length_cv')).toHaveValue('0.57');
  await expect(page.locator('#sample-use')).toBeFocused();
  await calculator.back();
  await expect(page.locator('#workload-sequence_length')).toHaveValue('4,096');

  // A file larger than what is counted: its beginning.
  const large = Buffer.from(`${'y'.repeat(999)}\n`.repeat(6000));
  await page.locator('#sample-file').setInputFiles({ name: 'large.txt', mimeType: 'text/plain', buffer: large });
  await expect(found).toContainText('4,194 examples of large.txt counted, from its first 4 MiB.');
  await page.locator('#sample-file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('id,text\n1,"a, b"\n2,c\n') });
  await expect(found).toContainText('2 examples of a.csv counted.');
});

for (const [width, colorScheme, locale] of [
  [1440, 'light', 'en-US'],
  [390, 'dark', 'zh-CN'],
]) {
  test.describe(`${width} px, ${colorScheme}, ${locale}`, () => {
    test.use({ colorScheme, locale, viewport: { width, height: 844 } });

    test('the run is accessible and fits the window', async ({ page, calculator }) => {
      await calculator.open();
      await calculator.settled();
      await section(page).scrollIntoViewIfNeeded();
      await section(page).locator('.sample summary').click();
      await page.locator('#sample-t').fill('one\ntwo');
      await expect(page.locator('#sample-use')).toBeVisible();
      await calculator.settled();
      expect(await violations(page, '#run')).toEqual([]);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
    });
  });
}
