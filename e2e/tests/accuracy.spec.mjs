// How right the calculator is: the chart, the table behind it, and the way there and back.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { layOut } from '../looks/laid.mjs';
import { VIEWS } from '../looks/views.mjs';

const DATA = '**/accuracy-*.json';
const RUNS = '**/runs-*.json';

/** Whether the values rise; numbers as numbers, the empty ones last. */
function rises(values, number) {
  const key = (text) => (number ? Math.abs(Number(text.replaceAll(/[^\d.]/g, ''))) : text.toLowerCase());
  const keys = values.filter((text) => text !== '').map(key);
  return keys.every((value, index) => index === 0 || keys[index - 1] <= value);
}

test('nothing of it is loaded before it is opened', async ({ page, calculator, accuracy }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await calculator.open();
  // The calculator's worker fetches the runs, for those that are most like the question.
  expect(asked.filter((path) => /accuracy|\/generation-/.test(path))).toEqual([]);
  await calculator.settled();
  asked.length = 0;
  await page.getByRole('navigation').getByRole('link', { name: 'Accuracy' }).click();
  await accuracy.shown();
  for (const file of [/\/accuracy-.*\.json$/, /\/runs-.*\.json$/]) expect(asked.filter((path) => file.test(path)), `${file}`).toHaveLength(1);
  expect(asked.filter((path) => path.includes('/generation-'))).toEqual([]);
  await expect(page).toHaveTitle(/how accurate/);
  await expect(accuracy.heading()).toHaveText(/^Training it has not seen: half within \d[\d.]*\s%$/u);
});

const TABS = [['Training', 'speed'], ['Memory', 'memory'], ['Generation', 'generation'], ['RL step', 'step']];

test('each tab leads with the errors of runs left out, and says so in figures of the data', async ({ page, accuracy }) => {
  await accuracy.open();
  const data = await page.evaluate(async () => (await fetch(new URL(document.documentElement.dataset.overview, document.baseURI))).json());
  const percent = (share) => (Math.abs(share) < 0.0995 ? `${(100 * share).toFixed(1)}\u00a0%` : `${Math.round(100 * share)}\u00a0%`);
  // Of two roundings of what lies between them either.
  const either = (share) => `(?:${[-1, 1].map((side) => percent(Math.abs(share) + side * 1e-9).replace('.', '\\.')).join('|')})`;
  const figure = (kind, by, name, which) => data.figures.find((own) => own.kind === kind && own.by === by && own.name === name && own.case === which);
  for (const [tab, kind] of TABS) {
    await accuracy.tab(tab);
    const lead = kind === 'step' ? ['kind', 'step'] : ['all', 'headline'];
    const [own, fitted] = ['left_out', 'predicted'].map((which) => figure(kind, ...lead, which));
    if (kind === 'memory') {
      const sure = data.sure.find(({ asked }) => asked === 0.95);
      await expect(accuracy.heading()).toHaveText(`Of runs it called 95\u00a0% sure, ${Math.round(100 * sure.held)}\u00a0% fit`);
      await expect(page.locator('.figs-acc')).toContainText(`${data.said.ran_unfit} of ${data.said.ran.toLocaleString('en-US')}`);
    } else {
      await expect(accuracy.heading()).toContainText(new RegExp(`half within ${either(own.median)}`, 'u'));
      await expect(page.locator('.figs-acc .fig').first()).toContainText(new RegExp(`${either(fitted.median)} fitted`, 'u'));
    }
    for (const strip of data.figures.filter((one) => one.kind === kind && one.by === 'kind' && one.case === 'left_out')) {
      const dots = strip.dots.length;
      expect(dots, `${kind} ${strip.name}`).toBe(strip.runs);
    }
    const kinds = data.figures.filter((one) => one.kind === kind && one.by === 'kind' && one.case === 'left_out');
    const drawn = await accuracy.marks(page.locator('.strips > li:not(.sum) .dt'));
    expect(drawn, 'a dot a run').toBe(kinds.reduce((sum, one) => sum + one.runs, 0));
    expect(await page.locator('.strips path').count(), 'few elements').toBeLessThan(100);
  }
});

test('the arrow keys lead from tab to tab, and Back finds the one that was left', async ({ page, accuracy }) => {
  await accuracy.open();
  await page.getByRole('tab', { name: 'Training' }).focus();
  await page.keyboard.press('ArrowRight');
  const memory = page.getByRole('tab', { name: 'Memory' });
  await expect(memory).toBeFocused();
  await expect(memory).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('[role=tab][tabindex="0"]')).toHaveCount(1);
  await expect(page).toHaveURL(/#kind=memory$/);
  await page.keyboard.press('End');
  await expect(page.getByRole('tab', { name: 'RL step' })).toBeFocused();
  await expect(page.getByRole('heading', { name: 'By phase' })).toBeVisible();
  await page.keyboard.press('Home');
  await expect(page.getByRole('tab', { name: 'Training' })).toBeFocused();
});

for (const [tab, kind] of TABS) {
  test(`every row is a point: ${tab}`, async ({ accuracy }) => {
    await accuracy.open();
    await accuracy.tab(tab);
    await accuracy.showAll();
    const runs = await accuracy.expected(kind);
    await expect(accuracy.rows).toHaveCount(runs.length);
    expect(await accuracy.marks(accuracy.points)).toBe(runs.length);
  });
}

test('each column sorts both ways, and its head says so', async ({ page, accuracy }) => {
  await accuracy.open();
  await accuracy.tab('RL step');
  await accuracy.showAll();
  const heads = page.locator('#runs thead th[scope=col]:has(button)');
  const numbers = ['GPUs', 'Measured', 'Left out', 'Error', 'Fitted'];
  for (let index = 0; index < await heads.count(); index += 1) {
    const button = heads.nth(index).getByRole('button');
    const name = (await button.innerText()).replace(/ [↑↓]$/, '');
    for (let press = 0; press < 2; press += 1) {
      await button.click();
      await expect(heads.nth(index)).toHaveAttribute('aria-sort', /ascending|descending/);
      await expect(page.locator('#runs [aria-sort]')).toHaveCount(1);
      await expect(button).toBeFocused();
      if (name.endsWith('interval')) continue;
      const values = await accuracy.column(name);
      const falls = await heads.nth(index).getAttribute('aria-sort') === 'descending';
      expect(rises(falls ? values.reverse() : values, numbers.includes(name)), `${name} is sorted`).toBe(true);
    }
  }
});

test('a group is chosen from the errors, marked on the chart, alone in the table, and in the address', async ({ page, accuracy }) => {
  await accuracy.open();
  const runs = await accuracy.expected('speed');
  await page.getByRole('group', { name: 'Group by' }).getByRole('button', { name: 'Framework' }).click();
  const first = page.locator('.strips button').first();
  const name = await first.innerText();
  await first.click();
  await expect(first).toHaveAttribute('aria-pressed', 'true');
  await accuracy.showAll();
  const wanted = runs.filter((run) => run.framework === name.toLowerCase()).length;
  expect(wanted).toBeGreaterThan(0);
  await expect(accuracy.rows).toHaveCount(wanted);
  expect(await accuracy.marks(accuracy.chosenPoints)).toBe(wanted);
  expect(await accuracy.marks(accuracy.points)).toBe(runs.length);
  expect(new Set(await accuracy.column('Framework'))).toEqual(new Set([name]));
  await expect(page.locator('#c-runs')).toContainText(name);
  const link = page.url();
  expect(link).toContain('#by=framework&group=');
  await page.goto('about:blank');
  await page.goto(link);
  await accuracy.shown();
  expect(await accuracy.marks(accuracy.chosenPoints)).toBe(wanted);
  await page.locator('#only').selectOption('');
  await expect(accuracy.chosenPoints).toHaveCount(0);
});

test('pointing and the arrow keys say the same', async ({ page, accuracy }) => {
  // Without a scroll that is still under way when places are read.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await accuracy.open();
  await accuracy.tab('Memory');
  await expect(accuracy.near).toContainText('Point at a run');
  await page.locator('#plot-runs').focus();
  await page.keyboard.press('Home');
  const first = await accuracy.near.innerText();
  await page.keyboard.press('ArrowRight');
  await expect(accuracy.near).not.toHaveText(first);
  await page.keyboard.press('End');
  for (const fact of ['Measured, GiB', 'Estimated', 'Error', 'interval']) await expect(accuracy.near).toContainText(fact);
  const told = await accuracy.near.innerText();
  const mark = page.locator('.over .pt-ring');
  const at = await mark.boundingBox();
  await page.keyboard.press('Escape');
  await expect(mark).toHaveCount(0);
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  await expect(mark).toHaveCount(1);
  expect(await accuracy.near.innerText()).toBe(told);
  await page.mouse.move(at.x - 100, at.y + 300);
  await expect(accuracy.near.getByRole('link', { name: 'Open in the calculator' }), 'its links can be reached').toBeVisible();
});

test('a source opens in a new tab and learns nothing', async ({ accuracy }) => {
  await accuracy.open();
  const link = accuracy.rows.first().getByRole('link').first();
  await expect(link).toHaveAttribute('href', /^https:\/\//);
  await expect(link).toHaveAttribute('target', '_blank');
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
});

// The worker would answer with the file of the build; Playwright says aloud that it keeps it away.
const WITHOUT_WORKER = { serviceWorkers: 'block' };

test.describe('a run', () => {
  test.use({ ...WITHOUT_WORKER, expected: [/Service Worker registration blocked/] });

  test('opens in the calculator, and Back returns to what was chosen', async ({ page, calculator, accuracy }) => {
    await calculator.open();
    await page.locator('#hardware-gpus').fill('32');
    await expect.poll(() => page.url()).toContain('hardware.gpus=32');
    const hash = new URL(page.url()).hash.slice(1);
    await page.route(RUNS, async (route) => {
      const response = await route.fetch();
      const runs = (await response.json()).map((run) => JSON.stringify({ ...run, link: hash }));
      await route.fulfill({ response, body: `[\n${runs.join(',\n')}\n]\n` });
    });
    await accuracy.open('#kind=memory');
    await accuracy.rows.first().getByRole('link', { name: /^Open/ }).click();
    await calculator.started();
    await expect(page.locator('#hardware-gpus')).toHaveValue('32');
    await expect(page.locator('#bad-link')).toHaveCount(0);
    await page.goBack();
    await accuracy.shown();
    await expect(page.getByRole('tab', { name: 'Memory' })).toHaveAttribute('aria-selected', 'true');
  });
});

for (const [way, back] of [
  ['Back', (page) => page.goBack()],
  ['the link', (page) => page.getByRole('navigation').getByRole('link', { name: 'Calculator' }).click()],
]) {
  test(`${way} returns to the calculator with everything typed`, async ({ page, calculator, accuracy }) => {
    await calculator.open();
    await page.locator('#hardware-gpus').fill('32');
    await page.locator('#plan-tensor_parallel').evaluate((field) => { field.closest('details').open = true; });
    await page.locator('#plan-tensor_parallel').fill('3');
    await expect(page.locator('#plan-tensor_parallel')).toHaveAttribute('aria-invalid', 'true');
    await page.getByRole('navigation').getByRole('link', { name: 'Accuracy' }).click();
    await accuracy.shown();
    await back(page);
    await calculator.started();
    await expect(page.locator('#hardware-gpus')).toHaveValue('32');
    await expect(page.locator('#plan-tensor_parallel')).toHaveValue('3');
    await expect(page.locator('#plan-tensor_parallel')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.locator('#v-h')).not.toBeEmpty();
  });
}

test('language and colours stay on the way, chosen or asked for', async ({ page, calculator, accuracy }) => {
  await calculator.open('?lang=en&theme=dark');
  await page.getByRole('button', { name: '中文' }).click();
  await layOut(page);
  await calculator.settled();
  await page.getByRole('link', { name: '准确度如何？' }).click();
  await accuracy.shown();
  await expect(accuracy.root).toHaveAttribute('lang', 'zh-CN');
  await expect(accuracy.root).toHaveAttribute('data-theme', 'dark');
  await expect(accuracy.heading()).toContainText('没见过的训练');
  await page.getByRole('button', { name: 'English' }).click();
  await expect(accuracy.heading()).toContainText('Training it has not seen');
});

test('an embedded calculator does not lead there', async ({ page, calculator }) => {
  await calculator.open('?embed');
  await expect(page.locator('a[href*="accuracy"]')).toHaveCount(0);
});

test.describe('where the site is stored', () => {
  test.use({ stored: true });

  test('works offline after one visit to the calculator', async ({ page, context, calculator, accuracy }) => {
    await calculator.open();
    await calculator.stored();
    // What is laid out above it as it comes near, or comes there later, would move it from under the mouse.
    await layOut(page);
    await calculator.settled();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'How accurate is it?' }).click();
    await accuracy.shown();
    await page.goBack();
    await calculator.started();
  });
});

test.describe('without its data', () => {
  test.use({ ...WITHOUT_WORKER, expected: [/Service Worker registration blocked|Failed to load resource/] });

  for (const [name, fails] of [
    ['no connection', (route) => route.abort()],
    ['a file that is gone', (route) => route.fulfill({ status: 404, body: 'not found' })],
    ['a file that is damaged', (route) => route.fulfill({ json: { data: '1', coverage: 0.8, figures: [{ id: 1 }] } })],
    ['a file that is something else', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Login</title>' })],
  ]) {
    test(`${name} is said, and another try helps`, async ({ page, accuracy }) => {
      await page.route(DATA, fails);
      await page.goto('./accuracy/');
      await accuracy.started();
      await expect(accuracy.alert).toContainText('could not be loaded');
      await expect(accuracy.heading()).toHaveText('How accurate is it?');
      if (name === 'no connection') {
        expect(await violations(page)).toEqual([]);
        await accuracy.shoot('accuracy-failed-en-1440-light');
      }
      await page.unroute(DATA);
      await accuracy.press('Try again');
      await accuracy.shown();
      await expect(accuracy.alert).toHaveCount(0);
    });
  }
});

test.describe('before anything is loaded', () => {
  test.use({ ...WITHOUT_WORKER, expected: [/Service Worker registration blocked/] });

  for (const [lang, words] of [['en', 'Training it has not seen'], ['zh', '没见过的训练']]) {
    test(`the headline, the tabs and the strips stand: ${lang}`, async ({ page, accuracy }) => {
      let go;
      const held = new Promise((resolve) => { go = resolve; });
      await page.route(DATA, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`./accuracy/?lang=${lang}`);
      const first = page.locator('.boot-first:visible');
      await expect(first.locator('h1')).toContainText(words);
      await expect(first.locator('.tl')).toHaveCount(4);
      await expect(first.locator('.strip').first()).toBeVisible();
      const at = await first.locator('h1').boundingBox();
      go();
      await accuracy.shown();
      await expect(first).toHaveCount(0);
      expect(await accuracy.heading().boundingBox(), 'nothing moves').toEqual(at);
    });
  }

  test('runs that do not come are said where they would be, and another try helps', async ({ page, accuracy }) => {
    await page.route(RUNS, (route) => route.fulfill({ json: [{ id: 1 }] }));
    await page.goto('./accuracy/');
    await accuracy.started();
    await expect(accuracy.alert).toContainText('damaged');
    await expect(accuracy.heading()).toContainText('Training it has not seen');
    await page.unroute(RUNS);
    await accuracy.press('Try again');
    await accuracy.shown();
    await expect(accuracy.alert).toHaveCount(0);
  });
});

for (const { title, width, colorScheme, locale, viewport, lang } of VIEWS) {
  test.describe(title, () => {
    test.use({ colorScheme, locale, viewport });

    for (const tab of ['training', 'memory', 'generation', 'step']) {
      test(`is accessible and fits the window: ${tab}`, async ({ page, accuracy }) => {
        await accuracy.open(`#kind=${tab}`);
        await page.locator('#plot-runs').focus();
        await page.keyboard.press('End');
        await page.evaluate(() => window.scrollTo(0, 0));
        await accuracy.shoot(`accuracy-${tab}-${lang}-${width}-${colorScheme}`);
        expect(await accuracy.sideways()).toBeLessThanOrEqual(0);
        expect(await violations(page)).toEqual([]);
      });
    }
  });
}

for (const width of [320, 768, 2560, 3840]) {
  test(`nothing scrolls sideways at ${width} px`, async ({ page, accuracy }) => {
    await page.setViewportSize({ width, height: 900 });
    await accuracy.open();
    expect(await accuracy.sideways()).toBeLessThanOrEqual(0);
  });
}

test.describe('how sure', () => {
  test.use({ ...WITHOUT_WORKER, expected: [/Service Worker registration blocked/] });

  test('how sure “sure” is, is drawn where the data say it, and nothing else is', async ({ page, accuracy }) => {
    const tenths = [[0.4, 0.5, 0.45, 0.7, 10], [0.8, 0.9, 0.85, 0.81, 16], [0.9, 1, 0.97, 0.96, 74]]
      .map(([from, to, predicted, observed, rows]) => ({ from, to, predicted, observed, rows }));
    let reliability = tenths;
    await page.route(DATA, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json(), reliability } });
    });
    await accuracy.open('#kind=memory');
    const section = page.locator('#reliability');
    await expect(section.getByRole('heading')).toHaveText('How sure is “sure”?');
    // 16 and 74 runs are within 8 points of what was said; 10 are not.
    await expect(section.locator('.take')).toContainText('90 of 100 runs');
    await expect(section.locator('svg circle')).toHaveCount(3);
    await expect(section.locator('tbody tr').last()).toHaveText(/90–100.%97.%96.%74/u);
    // More runs, a larger dot; surer and more often right, further right and up.
    const [few, , many] = await section.locator('circle').evaluateAll((all) => all.map((dot) => ['cx', 'cy', 'r'].map((name) => Number(dot.getAttribute(name)))));
    expect(many[0]).toBeGreaterThan(few[0]);
    expect(many[1]).toBeLessThan(few[1]);
    expect(many[2]).toBeGreaterThan(few[2]);
    expect(await violations(page, '#reliability')).toEqual([]);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await accuracy.sideways()).toBeLessThanOrEqual(0);
    }
    await accuracy.shoot('reliability');
    reliability = [];
    await page.reload();
    await accuracy.shown();
    await expect(section).toHaveCount(0);
  });
});
