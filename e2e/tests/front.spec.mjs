// Which GPU type is best, by what a person wants: cost against time, a deadline, a budget, and what fits where nothing does.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { VIEWS } from '../looks/views.mjs';

test.use({ unfolded: ['front'] });

const section = (page) => page.locator('#front');
const gpus = (page) => page.locator('#gpus');
const points = (page) => section(page).locator('.hit');
const tip = (page) => section(page).locator('.tip:visible');
const limit = (page) => page.locator('#limit');

/** LoRA of 70B on eight GH200. */
const TRAINING = '#v=1&model=llama-3.1-70b&hardware.gpu=gh200-96g&hardware.gpus=8&workload.kind=lora&workload.sequence_length=4096&workload.global_batch=64&z=1';

/** The names of the compared GPU types, in order. */
const names = (page) => gpus(page).locator('tbody th').evaluateAll((all) => all.map((th) => th.firstChild.textContent.trim()));

async function by(page, name) {
  await gpus(page).getByRole('button', { name, exact: true }).click();
  await expect(gpus(page).getByRole('button', { name, exact: true })).toHaveAttribute('aria-pressed', 'true');
}

/** Gives the run's tokens, so that the run has hours and dollars. */
async function tokens(page, calculator, typed) {
  await page.locator('form details').evaluateAll((all) => all.forEach((details) => { details.open = true; }));
  await page.locator('#workload-tokens').fill(typed);
  await calculator.settled();
}

/** How many points say something as they have the keyboard, and how far to the sides it reaches. */
const reaches = (page) => points(page).evaluateAll(async (all) => {
  const found = { tips: 0, left: Infinity, right: -Infinity };
  for (const point of all) {
    point.focus();
    await new Promise(requestAnimationFrame);
    for (const shown of [...document.querySelectorAll('#front .tip')].filter((own) => own.checkVisibility())) {
      const { left, right } = shown.getBoundingClientRect();
      found.tips += 1;
      found.left = Math.min(found.left, left);
      found.right = Math.max(found.right, right);
    }
  }
  return found;
});

/** Asks for one small GPU. */
async function tooSmall(page) {
  await page.locator('#hardware-gpu').selectOption('a10g');
  await page.locator('#hardware-gpus').fill('1');
  await expect(page.locator('.verdict')).toHaveClass(/is-no|is-unlikely/);
}

/** The rows of the front's table: name, time, cost, place. */
const rows = (page) => section(page).locator('tbody tr').evaluateAll((all) => all.map((row) => {
  const [time, cost] = [...row.querySelectorAll('td.n')].map((cell) => Number(cell.textContent.replaceAll(',', '')));
  return { name: row.querySelector('th').textContent, time, cost, place: row.querySelectorAll('td')[3].textContent };
}));

test('every GPU type is a point, the front a line, and the table has the same', async ({ page, calculator }) => {
  await calculator.open(TRAINING);
  await calculator.settled();
  const image = section(page).locator('svg[role=img]');
  await expect(image.locator('path.front')).toHaveCount(1);
  await expect(image.locator('path.pt-sel')).toHaveCount(1);
  await section(page).locator('details summary').click();
  const all = await rows(page);
  expect(all.length).toBeGreaterThan(20);
  await expect(image.locator('path.pt, path.pt-front, path.pt-sel')).toHaveCount(all.length);
  // The fastest first; on the front what no other beats in both.
  // What is known of one stands before it.
  const front = all.filter(({ place }) => place.endsWith('on the front'));
  for (const one of all) {
    const beaten = all.some((other) => other.time < one.time * 0.99 && other.cost < one.cost * 0.99);
    if (beaten) expect(one.place, one.name).toMatch(/is faster and cheaper/);
  }
  expect(front[0].time).toBe(Math.min(...all.map(({ time }) => time)));
  expect(front.at(-1).cost).toBe(Math.min(...all.map(({ cost }) => cost)));
  const take = section(page).locator('.take');
  await expect(take).toContainText(`${front[0].name} is the fastest`);
  await expect(take).toContainText(`${front.at(-1).name} the cheapest; ${front.length} types are on the front`);
  await expect(image).toContainText(front[0].name);
  await expect(image).toContainText('Hours per billion tokens');
  // What cannot be among the first is searched once all are shown.
  await expect(gpus(page).locator('.note')).toContainText(/Of [1-9]\d types, those that cannot be among these are searched once all are shown/);
  await page.locator('#all-gpus').click();
  await expect(gpus(page).locator('.note')).toContainText(/[\d,]{6,} plans on [1-9]\d GPU types searched/);
  await page.locator('#all-gpus').click();
  // With the tokens of the run the axes are the run's.
  await tokens(page, calculator, '10B');
  await expect(image).toContainText('Hours of the run');
});

test('pointer and keyboard reach what a point says, and the table chooses', async ({ page, calculator }) => {
  await calculator.open(TRAINING);
  await calculator.settled();
  await points(page).first().hover();
  await expect(tip(page)).toContainText('on the front');
  await page.mouse.move(0, 0);
  await expect(tip(page)).toHaveCount(0);
  await points(page).first().focus();
  await expect(tip(page)).toContainText(/hours per billion tokens/);
  await page.keyboard.press('ArrowRight');
  await expect(points(page).nth(1)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(tip(page)).toHaveCount(0);
  await section(page).locator('details summary').click();
  const [first] = await rows(page);
  await section(page).locator('tbody button').first().click();
  await calculator.settled();
  await expect(section(page).locator('.is-sel th')).toHaveText(first.name);
  await calculator.back();
  await calculator.settled();
  await expect(section(page).locator('.is-sel th')).not.toHaveText(first.name);
});

test('what is wanted orders the types', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await page.locator('#all-gpus').click();
  await gpus(page).locator('details summary').click();
  const fastest = await names(page);
  await by(page, 'Cheapest');
  const cheapest = await names(page);
  expect(cheapest[0]).not.toBe(fastest[0]);
  await expect(gpus(page).locator('.take')).toContainText(`${cheapest[0]} is the cheapest`);

  // Without a run there is nothing to hold a deadline against: that is said, in no red, and what is typed stays.
  await calculator.open(TRAINING);
  await calculator.settled();
  await by(page, 'By deadline');
  await expect(page.locator('#limit-n')).toContainText('say how long it is');
  await limit(page).fill('40');
  await expect(limit(page)).not.toHaveAttribute('aria-invalid', 'true');
  await tokens(page, calculator, '2e8');
  await expect(page.locator('#limit-n')).toHaveCount(0);
  await expect(limit(page)).toHaveValue('40');
  await limit(page).fill('much');
  await expect(limit(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#limit-m')).toContainText(/\p{L}{2}.*\./u);
  await by(page, 'By budget');
  await expect(limit(page)).toHaveValue('');
  await expect(page.locator('#limit-also')).toHaveValue('much');
});

/** Types and numbers held against the limits: the rows that are shown, as the table has them. */
const held = (page) => page.locator('#within tbody tr').evaluateAll((all) => all.map((row) => {
  const [hours, usd] = [...row.querySelectorAll('td.n')].map((cell) => Number(cell.textContent.replaceAll(/[$,]/g, '')));
  return { name: row.querySelector('th').textContent.trim(), hours, usd, state: row.className, why: row.querySelectorAll('td')[4].textContent };
}));

/** All of them have been tried. */
const whole = async (page) => {
  await expect(page.locator('html:not([data-busy])')).toBeAttached({ timeout: 30_000 });
  await expect(page.locator('#sheet-within')).not.toHaveAttribute('aria-busy', 'true');
};

test('a deadline and a budget try numbers of GPUs too, and the sentence names the best row', async ({ page, calculator }) => {
  await calculator.open(`${TRAINING.replace('&z=1', '&workload.tokens=2e8&z=1')}`);
  await calculator.settled();
  await expect(page.locator('#within')).toHaveCount(0);
  await by(page, 'By deadline');
  await limit(page).fill('4');
  await whole(page);
  const rows = await held(page);
  const take = page.locator('#within .take');
  // The cheapest of those that are in time at the slow end too, to the dollar; what is so by its estimate alone comes after them.
  const inside = rows.filter(({ hours }) => hours <= 4);
  const sure = rows.filter(({ why }) => why === 'Keeps it');
  // What has no price comes last of them.
  const priced = sure.filter(({ usd }) => Number.isFinite(usd));
  expect(sure[0].usd).toBe(Math.min(...priced.map(({ usd }) => usd)));
  const close = inside.filter(({ why }) => why.startsWith('Close: '));
  expect(close.every((row) => rows.indexOf(row) > rows.indexOf(sure.at(-1)))).toBe(true);
  expect(rows[0]).toBe(rows.find(({ state }) => state === 'is-best'));
  await expect(take).toHaveText(new RegExp(`^Within 4 h, ${rows[0].name} is the cheapest: [\\d.]+ h, \\$\\d+\\.$`));
  // What is late stays, in grey, with the reason; one's own type is there with every number.
  const late = rows.filter(({ hours }) => hours > 4);
  expect(late.length).toBeGreaterThan(1);
  for (const row of late) expect(row.why).toBe('Too late');
  expect(late.every(({ state }) => /is-off|is-sel/.test(state))).toBe(true);
  expect(rows.filter(({ name }) => name.endsWith('× GH200-96G')).length).toBeGreaterThan(4);

  // Both limits; one that nothing keeps names the nearest.
  await page.locator('#limit-also').fill(String(Math.min(...inside.map(({ usd }) => usd).filter(Number.isFinite)) - 1));
  await expect(take).toContainText(/^Nothing keeps to 4 h and \$\d+\. \d+ × \S+ comes nearest/);
  await page.locator('#limit-also').fill('');
  await by(page, 'By budget');
  await limit(page).fill(String(rows[0].usd + 40));
  await expect(take).toContainText(/^Within 4 h and \$\d+, \d+ × \S+ is the fastest/);

  // A row chooses type and number, and Back undoes it.
  await by(page, 'By deadline');
  await limit(page).fill('4');
  await expect(take).toContainText('is the cheapest');
  await page.locator('#within-all').click();
  await expect(page.locator('#within-all')).toHaveAttribute('aria-expanded', 'true');
  expect((await held(page)).length).toBeGreaterThan(100);
  await page.locator('#within tbody button').first().click();
  await calculator.settled();
  await expect(page.locator('#hardware-gpus')).toHaveValue(rows[0].name.split(' ')[0]);
  await expect(page.locator('#within .is-best')).toContainText('Yours', { timeout: 30_000 });
  await calculator.back();
  await expect(page.locator('#hardware-gpus')).toHaveValue('8');
});

test('where nothing fits, the verdict says what would', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await expect(page.locator('.closing')).toHaveCount(0);
  await tooSmall(page);
  const ways = page.locator('.closing li');
  await expect(ways).toHaveCount(2);
  await expect(ways.first()).toContainText(/\d+ × A10G (≤ )?[\d.,]+ hours, (≤ )?\$[\d.,]+; .*% sure/u);
  await ways.nth(1).getByRole('button').click();
  await expect(page.locator('.verdict')).toHaveClass(/is-fits/);
  await expect(page.locator('#v-h')).toBeFocused();
  await calculator.back();
  await expect(ways.first()).toContainText('A10G');
  await ways.first().getByRole('button').click();
  await expect(page.locator('.verdict')).toHaveClass(/is-fits/);
  await expect(page.locator('#hardware-gpu')).toHaveValue('a10g');
});

for (const { title, width, colorScheme, lang, locale, viewport } of VIEWS) {
  test.describe(title, () => {
    test.use({ colorScheme, locale, viewport });

    test('is accessible and fits the window, its tips too', async ({ page, calculator }) => {
      await calculator.open();
      await calculator.settled();
      // What is far is drawn as it comes near.
      await page.locator('#fold-front').scrollIntoViewIfNeeded();
      await expect(section(page).getByRole('heading')).toHaveText({ en: 'Cost against time', zh: '成本与时间' }[lang]);
      await gpus(page).locator('.seg-b').nth(2).click();
      await limit(page).fill('4');
      expect(await violations(page, '#gpus', '#front')).toEqual([]);
      // Without the limit: a thousand machines would be asked at each of the next steps.
      await gpus(page).locator('.seg-b').first().click();
      await section(page).scrollIntoViewIfNeeded();
      await calculator.settled();
      await page.mouse.move(0, 0);
      const edges = await reaches(page);
      expect(edges.tips).toBe(await points(page).count());
      expect(edges.left).toBeGreaterThanOrEqual(0);
      expect(edges.right).toBeLessThanOrEqual(width);
      await page.keyboard.press('Escape');
      await page.locator('#workload-run-steps').fill('300');
      await calculator.settled();
      expect(await violations(page, '#front')).toEqual([]);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      await calculator.shoot(`front-${lang}-${width}-${colorScheme}`);
      await section(page).locator('details summary').click();
      expect(await violations(page, '#front')).toEqual([]);
      expect(await calculator.sideways()).toBeLessThanOrEqual(0);
      await tooSmall(page);
      await expect(page.locator('.closing li')).toHaveCount(2);
      expect(await violations(page, '.verdict')).toEqual([]);
      await page.locator('.verdict').scrollIntoViewIfNeeded();
      await calculator.window(`closing-${lang}-${width}-${colorScheme}`);
    });
  });
}
