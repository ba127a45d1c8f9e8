// A host that means harm, and frames that do: nothing changes but the embed's own height within its clamp.

import { QUESTION, awaitEnd, element, event, expect, gather, heeded, height, resting, started, test } from '../hosts/page.mjs';

const FLOOD = 100_000;

const MARKUP = ['"><img src=x onerror=alert(1)>', "'><script>alert(1)</script>", 'javascript:alert(1)', '"><iframe srcdoc="<script>parent.alert(1)</script>">', '\u0000\ud800', '../../evil', '%22%3E%3Cscript%3Ealert(1)%3C/script%3E', '__proto__', '{"__proto__":{"a":1}}', '&z=1&plan.tensor_parallel=3#', 'x'.repeat(100_000)];

/** Fails where a script of the attack ran: in the host or in the frame. */
function watch(page) {
  const dialogs = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    dialog.dismiss();
  });
  page.on('popup', () => dialogs.push('a window'));
  return dialogs;
}

/** What must stay as it is. */
const state = (root) => root.evaluate((own) => ({
  hash: location.hash,
  theme: own.dataset.theme,
  ready: own.dataset.ready,
  words: document.querySelector('main').innerText,
  polluted: Object.keys(Object.prototype).length + ('a' in {} ? 1 : 0),
}));

/** What posts to a frame. */
const to = (frame) => (words) => frame.evaluate((own, message) => own.contentWindow.postMessage(message, '*'), words);

/** That the page still answers: another count gives another figure. */
async function answers(frame) {
  const figures = frame.contentFrame().locator('.emb-n, .emb-fit');
  const before = await figures.allInnerTexts();
  const field = frame.contentFrame().locator('#hardware-gpus');
  await field.fill((await field.inputValue()) === '8' ? '128' : '8');
  await expect.poll(() => figures.allInnerTexts()).not.toEqual(before);
}

test('no message of a wrong shape, kind, version or type changes anything', async ({ page, openHost, baseURL }) => {
  const dialogs = watch(page);
  const frame = await openHost(element(baseURL, 'model="qwen3-8b" gpu="h100-sxm" gpus="16" theme="light"'));
  const root = await started(frame);
  const tall = await resting(frame);
  const before = await state(root);
  await frame.evaluate((own, question) => {
    const cyclic = {};
    cyclic.self = cyclic;
    let deep = {};
    for (let i = 0; i < 2_000; i += 1) deep = { deep };
    const all = [
      null, undefined, 0, 'shardwise:question', [], {}, new Date(), new Map([['type', 'shardwise:theme']]), new ArrayBuffer(8), 1n,
      { type: 'shardwise:theme', theme: 'dark' },
      { type: 'shardwise:theme', v: 2, theme: 'dark' },
      { type: 'shardwise:theme', v: '1', theme: 'dark' },
      { type: 'shardwise:theme', v: 1, theme: 'dark', more: 1 },
      { type: 'shardwise:theme', v: 1 },
      { type: 'shardwise:theme', v: 1, them: 'dark' },
      { type: ['shardwise:theme'], v: 1, theme: 'dark' },
      { type: 'theme', v: 1, theme: 'dark' },
      { type: 'shardwise:hash', v: 1, hash: 'v=1' },
      { type: 'shardwise:question', v: 1, question, extra: true },
      { type: 'shardwise:question', v: 1, question: JSON.stringify(question) },
      { type: 'shardwise:update-accept', v: 1 },
      Object.assign([], { type: 'shardwise:theme', v: 1, theme: 'dark', length: 3 }),
      { type: '__proto__', v: 1, theme: 'dark' },
      { type: 'constructor', v: 1 },
      JSON.parse('{"type": "shardwise:theme", "v": 1, "__proto__": {"theme": "dark"}}'),
      ...['night', '', null, 1, {}, ['dark'], '"><img src=x onerror=alert(1)>', 'x'.repeat(1e7), 'toString'].map((theme) => ({ type: 'shardwise:theme', v: 1, theme })),
      ...[null, 1, 'x', [], [question], cyclic, deep, { model: 'x'.repeat(1e6) }, new Map(), JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"constructor": {"prototype": {"a": 1}}}'),
        { ...question, model: { hidden_size: NaN } }, { ...question, version: 2 }, { ...question, hardware: null }].map((bad) => ({ type: 'shardwise:question', v: 1, question: bad })),
    ];
    // One by one, so that none is overtaken by a later one of its kind.
    return all.reduce((last, message) => last.then(() => {
      own.contentWindow.postMessage(message, '*');
      return new Promise((done) => setTimeout(done, 60));
    }), Promise.resolve());
  }, QUESTION);
  await heeded(root, to(frame));
  expect(await state(root)).toEqual(before);
  expect(await height(frame)).toBe(tall);
  expect(dialogs).toEqual([]);
  await answers(frame);
});

test('nobody but the window around it is heard', async ({ page, openHost, stranger, baseURL }) => {
  // A plain frame: those of elements stand in a shadow tree, where no other window finds them.
  await openHost(`<iframe data-shardwise width="800" height="600" src="${baseURL}?embed&theme=light"></iframe>
    ${element(baseURL, 'model="qwen3-8b" theme="light"')}<iframe id="other" src="${stranger}"></iframe>`);
  const own = page.locator('iframe[data-shardwise]');
  const root = await started(own);
  const tall = await resting(own);
  const before = await state(root);
  const other = page.frames().find((one) => one.url() === stranger);
  // Another frame speaks to the calculator, and as the calculator to the host; the calculator speaks to itself.
  const frames = await other.evaluate((question) => {
    const to = window.parent.frames[0];
    to.postMessage({ type: 'shardwise:theme', v: 1, theme: 'dark' }, '*');
    to.postMessage({ type: 'shardwise:question', v: 1, question }, '*');
    to.postMessage({ type: 'shardwise:listen', v: 1 }, '*');
    for (const kind of ['ready', 'gone', 'height', 'question', 'answer']) window.parent.postMessage({ type: `shardwise:${kind}`, v: 1, height: 5_000, question, answer: {} }, '*');
    return window.parent.frames.length;
  }, QUESTION);
  expect(frames).toBe(2);
  await root.evaluate(() => window.postMessage({ type: 'shardwise:theme', v: 1, theme: 'dark' }, '*'));
  await page.evaluate(() => window.postMessage({ type: 'shardwise:height', v: 1, height: 5_000 }, '*'));
  await heeded(root, to(own));
  expect(await state(root)).toEqual(before);
  expect(await height(own)).toBe(tall);
  expect(await page.evaluate(() => document.querySelector('shardwise-calculator').question)).toBe(null);
  expect(await other.evaluate(() => window.heard)).toEqual([]);
  await answers(own);
});

test('a flood from the host freezes nothing: the last of each kind holds', async ({ page, openHost, baseURL }) => {
  const frame = await openHost(element(baseURL, 'model="qwen3-8b" theme="light"'));
  const root = await started(frame);
  await gather(page);
  await resting(frame);
  await frame.evaluate((own, [many, question]) => {
    for (let i = 0; i < many; i += 1) {
      own.contentWindow.postMessage({ type: 'shardwise:theme', v: 1, theme: i % 2 ? 'light' : 'dark' }, '*');
      own.contentWindow.postMessage({ type: 'shardwise:question', v: 1, question: { ...question, hardware: { gpu: 'h200-sxm', gpus: 8 + (i % 9) } } }, '*');
      own.contentWindow.postMessage({ type: 'shardwise:noise', v: 1, i }, '*');
    }
    own.contentWindow.postMessage({ type: 'shardwise:theme', v: 1, theme: 'light' }, '*');
    own.contentWindow.postMessage({ type: 'shardwise:question', v: 1, question }, '*');
  }, [FLOOD, QUESTION]);
  await event(page, 'answer', (found) => found.plan !== undefined);
  await event(page, 'question', (found) => found.hardware.gpus === 32);
  await expect(root).toHaveAttribute('data-theme', 'light');
  // Few of them became work, however long it took.
  expect(await page.evaluate(() => window.events.length)).toBeLessThan(FLOOD / 50);
  await answers(frame);
});

test('a flood from frames freezes nothing, and moves only the frame that is the calculator\'s', async ({ page, openHost, stranger, baseURL }) => {
  await openHost(`${element(baseURL, 'model="qwen3-8b"')}<iframe data-shardwise id="fake" src="${baseURL}?embed"></iframe>`);
  const own = page.locator('shardwise-calculator iframe');
  const root = await started(own);
  await resting(own);
  // The frame says that it is the calculator's, and has been led elsewhere.
  const fake = page.locator('#fake');
  await fake.evaluate((frame, to) => frame.contentWindow.location.replace(to), stranger);
  await expect(fake.contentFrame().locator('p')).toHaveText('A stranger');
  await fake.evaluate((frame) => frame.style.removeProperty('height'));
  const flood = (_, many) => {
    const heights = [-1e9, NaN, Infinity, '900', null, { valueOf: 900 }, 1e308, 0.1, 1e9];
    for (let i = 0; i < many; i += 1) window.parent.postMessage({ type: 'shardwise:height', v: 1, height: heights[i % 9] }, '*');
    window.parent.postMessage({ type: 'shardwise:height', v: 1, height: 1e9 }, '*');
    window.parent.postMessage('the end', '*');
  };
  await awaitEnd(page);
  await fake.contentFrame().locator('html').evaluate(flood, FLOOD);
  await page.evaluate(() => window.ended);
  expect(await fake.evaluate((frame) => frame.style.height)).toBe('');
  await root.evaluate(flood, FLOOD);
  await expect.poll(() => height(own)).toBe(20_000);
  expect(await page.evaluate(() => document.querySelector('shardwise-calculator').question)).toBe(null);
  // A true height mends it.
  await page.setViewportSize({ width: 500, height: 900 });
  await expect.poll(() => height(own)).toBeLessThan(2_000);
  await answers(own);
});

for (const attribute of ['model', 'gpu', 'gpus', 'workload', 'question', 'lang', 'theme', 'panels', 'title', 'src', 'listen', 'style', 'sandbox', 'srcdoc']) {
  test(`no script comes in through ${attribute}`, async ({ page, openHost, baseURL }) => {
    const dialogs = watch(page);
    const frame = await openHost(element(baseURL, 'model="qwen3-8b"'));
    await started(frame);
    for (const value of MARKUP) {
      await page.evaluate(([name, text]) => document.querySelector('shardwise-calculator').setAttribute(name, text), [attribute, value]);
    }
    for (const value of MARKUP.slice(0, 4)) {
      await page.evaluate(([name, text]) => document.querySelector('shardwise-calculator').setAttribute(name, text), [attribute, value]);
      const root = await started(frame);
      const address = await frame.evaluate((own) => own.src);
      expect(address.startsWith(`${baseURL}?embed`)).toBe(true);
      await expect(frame).not.toHaveAttribute('srcdoc', /./);
      await expect(frame).toHaveAttribute('sandbox', 'allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox');
      expect(await root.evaluate(() => document.querySelectorAll('img, script:not([src]), iframe').length)).toBe(0);
      expect(await page.evaluate(() => document.querySelectorAll('img').length + document.querySelectorAll('iframe').length)).toBe(0);
    }
    await page.evaluate((name) => document.querySelector('shardwise-calculator').removeAttribute(name), attribute);
    await page.evaluate(() => document.querySelector('shardwise-calculator').setAttribute('model', 'qwen3-8b'));
    await started(frame);
    await expect(frame.contentFrame().locator('.emb-fit')).toContainText('Fits');
    expect(dialogs).toEqual([]);
  });
}

test('no script comes in through a question', async ({ page, openHost, baseURL }) => {
  const dialogs = watch(page);
  const frame = await openHost(element(baseURL, 'model="qwen3-8b"'));
  const root = await started(frame);
  await gather(page);
  for (const text of MARKUP) {
    await page.evaluate(([question, bad]) => {
      const own = document.querySelector('shardwise-calculator');
      for (const changed of [{ model: bad }, { hardware: { gpu: bad } }, { workload: { kind: bad } }, { workload: { ...question.workload, precision: bad } }, { plan: { backend: bad } }, { [bad]: bad }, { model: { [bad]: bad, hidden_size: bad } }]) {
        own.question = { ...question, ...changed };
      }
    }, [QUESTION, text]);
  }
  await page.evaluate((question) => { document.querySelector('shardwise-calculator').question = { ...question, model: '"><img src=x onerror=alert(1)>' }; }, QUESTION);
  const refused = await event(page, 'answer', (found) => found.error?.field === 'model');
  expect(refused.error.message).toContain('<img src=x');
  expect(await root.evaluate(() => document.querySelectorAll('img, script:not([src]), iframe').length)).toBe(0);
  await page.evaluate((question) => { document.querySelector('shardwise-calculator').question = question; }, QUESTION);
  await event(page, 'answer', (found) => found.plan !== undefined);
  await expect(frame.contentFrame().locator('#hardware-gpu')).toHaveValue('b200-sxm');
  expect(await page.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
  expect(dialogs).toEqual([]);
});

test('a frame that is led elsewhere is told nothing', async ({ page, openHost, stranger, baseURL }) => {
  const frame = await openHost(element(baseURL, 'model="qwen3-8b" listen'));
  await started(frame);
  const tall = await resting(frame);
  await frame.evaluate((own, to) => own.contentWindow.location.replace(to), stranger);
  const inside = frame.contentFrame().locator('html');
  // For a moment the calculator still stands there, with paragraphs of its own.
  await expect(inside.getByText('A stranger', { exact: true })).toBeVisible();
  await page.evaluate((question) => {
    const own = document.querySelector('shardwise-calculator');
    own.question = question;
    own.setAttribute('theme', 'dark');
  }, QUESTION);
  await awaitEnd(page);
  await inside.evaluate(() => {
    for (const kind of ['ready', 'height', 'question', 'answer']) window.parent.postMessage({ type: `shardwise:${kind}`, v: 1, height: 999, question: {}, answer: {} }, '*');
    window.parent.postMessage('the end', '*');
  });
  await page.evaluate(() => window.ended);
  await heeded(inside, to(frame));
  expect(await inside.evaluate(() => window.heard)).toEqual(['the last']);
  expect(await height(frame)).toBe(tall);
  // Back at the calculator, what was set meanwhile is shown.
  await frame.evaluate((own) => own.contentWindow.location.replace(own.src));
  const root = await started(frame);
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await expect(frame.contentFrame().locator('#hardware-gpu')).toHaveValue('b200-sxm');
});

test('a page around its host is a stranger to the calculator', async ({ page, openHost, host, baseURL }) => {
  host.write('middle.html', `<iframe width="800" height="600" src="${baseURL}?embed&theme=light"></iframe>`);
  await openHost('<iframe src="middle.html" width="900" height="900"></iframe>');
  const root = page.frameLocator('iframe').frameLocator('iframe').locator('html');
  await expect(root).toHaveAttribute('data-ready', '1');
  const before = await state(root);
  await page.evaluate((question) => {
    const to = window.frames[0].frames[0];
    to.postMessage({ type: 'shardwise:theme', v: 1, theme: 'dark' }, '*');
    to.postMessage({ type: 'shardwise:question', v: 1, question }, '*');
  }, QUESTION);
  await heeded(root, (words) => page.evaluate((last) => window.frames[0].frames[0].postMessage(last, '*'), words));
  const after = await state(root);
  expect([after.theme, after.polluted]).toEqual([before.theme, before.polluted]);
  expect(after.hash).not.toContain('llama');
});

test('a site that is none leaves the host as it is', async ({ page, openHost, stranger, baseURL }) => {
  // The script of the site, as if from elsewhere: its frames show that other site.
  const script = await (await fetch(`${baseURL}embed.js`)).text();
  await page.route(`${stranger}embed.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  const frame = await openHost(element(stranger, 'model="qwen3-8b"'));
  await expect(frame.contentFrame().locator('p')).toHaveText('A stranger');
  await page.evaluate((question) => { document.querySelector('shardwise-calculator').question = question; }, QUESTION);
  expect(await height(frame)).toBe(480);
});
