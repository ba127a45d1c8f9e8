// What every test shares: the page object, and a watch that fails the test on anything a person would not want
// to find in the console: an error, a warning, a breach of the page's policy, a request to another site.

import { test as base, expect } from '@playwright/test';
import { Accuracy } from './pages/accuracy.mjs';
import { Calculator } from './pages/calculator.mjs';

export { expect };

function watch(context, home, report) {
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) report(`console ${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => report(`page error: ${error.error()}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== home) report(`request to another site: ${url.href}`);
  });
}

export const test = base.extend({
  // Messages that a test provokes on purpose: a list of regular expressions.
  expected: [[], { option: true }],

  // Whether the introduction is still to be seen.
  newcomer: [false, { option: true }],

  context: async ({ context, baseURL, expected, newcomer }, use) => {
    const problems = [];
    const report = (text) => expected.some((pattern) => pattern.test(text)) || problems.push(text);
    watch(context, new URL(baseURL).origin, report);
    if (!newcomer) await context.addInitScript(() => {
      try {
        localStorage.setItem('shardwise-intro', '1');
      } catch {
        // A frame without storage has no introduction either.
      }
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} blocked ${event.blockedURI || 'inline'} at ${event.sourceFile}:${event.lineNumber}`);
      });
    });
    await use(context);
    expect(problems, 'no console message, policy breach or foreign request').toEqual([]);
  },

  calculator: async ({ page }, use) => {
    await use(new Calculator(page));
  },

  accuracy: async ({ page }, use) => {
    await use(new Accuracy(page));
  },
});
