// The page as a person meets it. Tests speak to it in these words, not in selectors.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { layOut } from '../looks/laid.mjs';

const SHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

export class Calculator {
  constructor(page) {
    this.page = page;
    this.root = page.locator('html');
    this.failure = page.locator('#boot-failed');
  }

  /** Opens the page with an optional query (`?embed`) and hash, and waits until it has started. */
  async open(suffix = '') {
    await this.page.goto(`./${suffix}`);
    await this.started();
  }

  async started() {
    await expect(this.root).toHaveAttribute('data-ready', '1', { timeout: 30_000 });
  }

  /** Waits until nothing on the page has changed for half a second: the comparison runs in slices. */
  async settled() {
    await this.page.evaluate(() => new Promise((done) => {
      let timer = setTimeout(finish, 500);
      const watch = new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(finish, 500);
      });
      function finish() {
        watch.disconnect();
        done();
      }
      watch.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    }));
  }

  /** Waits until the site is stored for offline use. */
  async stored() {
    await this.page.evaluate(() => navigator.serviceWorker.ready);
    await this.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  }

  heading() {
    return this.page.getByRole('heading', { level: 1 });
  }

  field(label) {
    return this.page.getByLabel(label, { exact: true });
  }

  /** How many pixels the page is wider than its window; 0 where nothing needs a sideways scroll. */
  async sideways() {
    return this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }

  /** What the window shows as e2e/screenshots/<name>.png. */
  async window(name) {
    await this.settled();
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SHOTS}${name}.png`, animations: 'disabled' });
  }

  /** The whole page as e2e/screenshots/<name>.png. */
  async shoot(name) {
    await layOut(this.page);
    await this.settled();
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SHOTS}${name}.png`, fullPage: true, animations: 'disabled' });
  }
}
