// The published runs that are most like the question, beside the verdict.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';

const near = (page) => page.locator('#near');
const runs = (page) => near(page).locator('.sheet > .near-runs > li');
const EXOTIC = '#v=1&model=qwen3-235b-a22b&hardware.gpu=mi300x&hardware.gpus=64&workload.kind=grpo&workload.rl.prompts_per_step=64&workload.rl.max_prompt_length=1024&workload.rl.max_response_length=4096&z=1';

test('two runs: measured, estimated without them, by how much that misses, what differs', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  await expect(near(page).getByRole('heading')).toHaveText('Nearest published runs');
  await expect(runs(page)).toHaveCount(2);
  for (const run of await runs(page).all()) {
    const [figures, error, source, differs] = await run.locator('p').allInnerTexts();
    const [, measured, estimated] = figures.match(/^measured ([\d,]+), estimated ([\d,]+)$/).map((part) => Number(part.replaceAll(',', '')));
    const said = Number(error.replace('−', '-').match(/^([+-]?[\d.]+)\s%$/)[1]);
    expect(Math.abs((estimated / measured - 1) * 100 - said)).toBeLessThan(1);
    expect(source).toMatch(/^\d+\s×\s[A-Z0-9-]+, \S.*, (Megatron|FSDP), [\d,]+\stokens/);
    expect(differs).toMatch(/^Differs: .+ instead of /);
    await expect(run.getByRole('link')).toHaveAttribute('href', /^https:\/\/(github\.com|huggingface\.co|docs\.|developer\.nvidia\.com|arxiv\.org|raw\.)/);
    await expect(run.getByRole('link')).toHaveAttribute('rel', 'noopener');
  }
  expect(await violations(page, '#near')).toEqual([]);
  // All of them are on the accuracy page, at the tab of this work.
  await expect(near(page).getByRole('link', { name: 'All runs' })).toHaveAttribute('href', 'accuracy/#kind=step');
});

test('a run opens as the question, which is then that run', async ({ page, calculator }) => {
  await calculator.open();
  await calculator.settled();
  const figures = await runs(page).first().locator('p').first().textContent();
  await page.locator('#near-0').click();
  await calculator.settled();
  await expect(runs(page).first()).toContainText(figures);
  await expect(runs(page).first().getByRole('button')).toHaveCount(0);
  await calculator.back();
  await calculator.settled();
  await expect(runs(page).first().getByRole('button')).toHaveCount(1);
});

test('they follow the work: training, adapters, generation', async ({ page, calculator }) => {
  await calculator.open('#v=1&model=llama-3.1-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=sft&workload.global_batch=64&workload.sequence_length=8192&z=1');
  await calculator.settled();
  await expect(runs(page).first()).toContainText(/H100-SXM, llama/i);
  await calculator.open('#v=1&model=llama-2-7b&hardware.gpu=a100-sxm-80g&hardware.gpus=1&workload.kind=rollout&workload.rollout.requests=64&workload.rollout.mean_prompt_length=512&workload.rollout.mean_response_length=512&z=1');
  await page.reload();
  await calculator.started();
  await calculator.settled();
  await expect(runs(page).first()).toContainText('vLLM');
  await expect(near(page).getByRole('link', { name: 'All runs' })).toHaveAttribute('href', 'accuracy/#kind=generation');
});

test('where none is like the question, that is said in the same place', async ({ page, calculator }) => {
  await calculator.open(EXOTIC);
  await calculator.settled();
  await expect(near(page)).toContainText('None of 112 published runs of this task is like this: expect more error than the interval says.');
  await expect(near(page).locator('.near-runs')).toHaveCount(0);
  expect(await violations(page, '#near')).toEqual([]);
});

for (const [locale, width] of [['en-US', 1440], ['zh-CN', 1440], ['en-US', 390], ['zh-CN', 2560]]) {
  test.describe(`${locale}, ${width} px`, () => {
    test.use({ locale, viewport: { width, height: 900 } });
    test('they cost the first answer nothing, and nothing moves as they come', stays);
  });
}

async function stays({ page, calculator }) {
  let pass;
  const held = new Promise((done) => {
    pass = done;
  });
  await page.context().route('**/near-rl-*.json', async (route) => {
    await held;
    await route.continue();
  });
  await calculator.open();
  // What else the worker writes does not wait for them.
  await expect(page.locator('#advice li').first()).toBeAttached();
  await expect(page.locator('.sure-n')).toBeVisible();
  await expect(runs(page)).toHaveCount(0);
  const place = () => page.locator('.figs').evaluate((figures) => figures.getBoundingClientRect().top + scrollY);
  const before = await place();
  pass();
  await calculator.settled();
  await expect(runs(page)).toHaveCount(2);
  expect(await place()).toBe(before);
}

test.describe('without the file', () => {
  test.use({ expected: [/Failed to load resource/] });

  test('it says so, and tries again with the next question', async ({ page, calculator }) => {
    await page.context().route('**/near-rl-*.json', (route) => route.fulfill({ status: 404 }));
    await calculator.open();
    await calculator.settled();
    await expect(near(page)).toContainText('did not load');
    await page.context().unroute('**/near-rl-*.json');
    await page.locator('#hardware-gpus').fill('16');
    await calculator.settled();
    await expect(runs(page)).toHaveCount(2);
  });
});

test('an embed does not show them, nor fetch them', async ({ page, calculator }) => {
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await calculator.open('?embed');
  await calculator.settled();
  await expect(near(page)).toHaveCount(0);
  expect(asked.filter((url) => /runs-|generation-|near-/.test(url))).toEqual([]);
});

test.describe('in Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('the same words', async ({ page, calculator }) => {
    await calculator.open();
    await calculator.settled();
    await expect(near(page).getByRole('heading')).toHaveText('最接近的公开记录');
    await expect(runs(page).first()).toContainText(/实测 [\d,]+，估算 [\d,]+/);
    await expect(runs(page).first()).toContainText('不同之处：');
    await calculator.open(EXOTIC);
    await page.reload();
    await calculator.started();
    await calculator.settled();
    await expect(near(page)).toContainText('112 条同类任务的公开记录中没有与此相近的');
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('one line that unfolds', async ({ page, calculator }) => {
    await calculator.open();
    await calculator.settled();
    await expect(runs(page).first()).toBeHidden();
    const fold = page.locator('#near-fold');
    await expect(fold.locator('summary')).toHaveText(/^measured [\d,]+, estimated [\d,]+ [+−][\d.]+\s%$/);
    expect((await near(page).boundingBox()).height).toBeLessThan(100);
    await fold.locator('summary').click();
    await expect(fold.locator('li')).toHaveCount(2);
    await expect(fold.getByRole('link').first()).toBeVisible();
    expect(await violations(page, '#near')).toEqual([]);
    expect(await calculator.sideways()).toBeLessThanOrEqual(0);
    // It stays as it is with the next question.
    await page.locator('#hardware-gpus').fill('16');
    await calculator.settled();
    await expect(fold.locator('li').first()).toBeVisible();
  });
});
