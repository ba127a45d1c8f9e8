// Firefox over WebDriver BiDi, which puppeteer speaks.

import puppeteer from 'puppeteer-core';

/** Starts it, in English, with nothing stored. */
export async function firefox() {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    // A machine that has other work, and a profile that is made anew.
    timeout: 120_000,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: { 'intl.accept_languages': 'en-US', 'intl.locale.requested': 'en-US' },
  });
  const page = await browser.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(`${error}`));
  page.on('console', (message) => ['error', 'warn'].includes(message.type()) && problems.push(`${message.type()}: ${message.text()}`));
  return {
    problems,
    open: (url) => page.goto(url, { waitUntil: 'load' }),
    run: (act, ...words) => page.evaluate(act, ...words),
    click: (selector) => page.click(selector),
    type: async (selector, text) => {
      await page.click(selector, { count: 3 });
      await page.keyboard.press('Backspace');
      await page.type(selector, text);
    },
    picture: (path) => page.screenshot({ path }),
    stop: () => browser.close(),
  };
}
