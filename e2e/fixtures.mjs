// What every test shares: the page object, and a watch that fails the test on anything a person would not want
// to find in the console: an error, a warning, a breach of the page's policy, a request to another site.

import { test as base, expect } from '@playwright/test';
import { deploy } from './deployed.mjs';
import { Accuracy } from './pages/accuracy.mjs';
import { Calculator } from './pages/calculator.mjs';
import { STORED } from './sites.mjs';

export { expect };

/** Notes on `problems` whatever a page of the context does wrong. */
async function guard(context, home, expected, problems) {
  const report = (text) => expected.some((pattern) => pattern.test(text)) || problems.push(text);
  watch(context, home, report);
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} blocked ${event.blockedURI || 'inline'} at ${event.sourceFile}:${event.lineNumber}`);
    });
  });
}

/** Watches a context that a test made itself; what it returns must stay empty. */
export async function guarded(context, home) {
  const problems = [];
  await guard(context, home, [], problems);
  return problems;
}

/** Has the parts of the page that fold open, by their words (app/src/page/folds.rs), as an earlier visit left them. */
const unfold = (words) => {
  try {
    if (localStorage.getItem('shardwise-open') === null) localStorage.setItem('shardwise-open', words);
  } catch {
    // A frame without storage remembers nothing.
  }
};

const FINE = 'no console message, policy breach or foreign request';

function watch(context, home, report) {
  const heed = (message) => {
    if (['error', 'warning'].includes(message.type())) report(`console ${message.type()}: ${message.text()}`);
  };
  context.on('console', heed);
  context.on('serviceworker', (worker) => worker.on('console', heed));
  context.on('weberror', (error) => report(`page error: ${error.error()}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== home) report(`request to another site: ${url.href}`);
  });
}

export const test = base.extend({
  // Messages that a test provokes on purpose: a list of regular expressions.
  expected: [[], { option: true }],

  // Which parts of the page that fold are open from the start, by their words.
  unfolded: [[], { option: true }],

  // Whether the browser may store the site.
  stored: [false, { option: true }],

  baseURL: async ({ baseURL, stored }, use) => use(stored ? STORED.url : baseURL),

  context: async ({ context, baseURL, expected, unfolded }, use) => {
    const problems = [];
    await guard(context, new URL(baseURL).origin, expected, problems);
    if (unfolded.length > 0) await context.addInitScript(unfold, unfolded.join(' '));
    await use(context);
    expect(problems, FINE).toEqual([]);
  },

  // A host of the test's own (e2e/deployed.mjs), with a browser that knows nothing yet: `host.context`.
  host: async ({ browser, expected }, use) => {
    const host = await deploy();
    host.context = await browser.newContext({ baseURL: host.url });
    const problems = [];
    await guard(host.context, new URL(host.url).origin, expected, problems);
    await use(host);
    await host.context.close();
    await host.stop();
    expect(problems, FINE).toEqual([]);
  },

  calculator: async ({ page }, use) => {
    await use(new Calculator(page));
  },

  accuracy: async ({ page }, use) => {
    await use(new Accuracy(page));
  },
});
