// The page as a person meets it. Tests speak to it in these words, not in selectors.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { layOut } from '../looks/laid.mjs';
import { stored } from './offline.mjs';
import { rested } from './rest.mjs';

const SHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

// Nobody looks at them unless they were asked for: SHOTS=1.
const TAKEN = Boolean(process.env.SHOTS);

export class Calculator {
  constructor(page) {
    this.page = page;
    this.root = page.locator('html');
    // The one of its reasons that is shown.
    this.failure = page.locator('#boot-failed p:not([lang]) [data-why]:not([hidden])');
  }

  /** Opens the page with an optional query (`?embed`) and hash, and waits until it has started. */
  async open(suffix = '') {
    await this.page.goto(`./${suffix}`);
    await this.started();
  }

  async started() {
    await expect(this.root).toHaveAttribute('data-ready', '1');
  }

  /** Waits until the page has no work left: comparison, worker, what waits for a pause in typing. */
  async settled() {
    await rested(this.page);
  }

  /** Goes back: what was chosen last is undone, whether it has its answer or not. */
  async back() {
    await this.page.goBack();
  }

  /** Waits until the site is stored for offline use. */
  async stored() {
    await stored(this.page);
  }

  /** Chooses a task: the kind of work, then which of it. */
  async task(task) {
    const preferences = ['dpo', 'ipo', 'kto', 'orpo', 'simpo', 'reward_model'];
    const kind = { pretrain: 'pretrain', sft: 'full', lora: 'adapters', qlora: 'adapters', rollout: 'generate' }[task]
      ?? (preferences.includes(task) ? 'prefer' : 'rl');
    await this.page.locator('#workload-kind').selectOption(kind);
    const which = this.page.locator('#algorithm');
    if (['adapters', 'prefer', 'rl'].includes(kind)) await which.selectOption(task);
    else await expect(which).toHaveCount(0);
  }

  heading() {
    return this.page.getByRole('heading', { level: 1 });
  }

  field(label) {
    return this.page.getByLabel(label, { exact: true });
  }

  /** Opens a part that folds, by its word. */
  async unfold(word) {
    const fold = this.page.locator(`#fold-${word}`);
    if (!(await fold.evaluate((details) => details.open))) await fold.locator('> summary').click();
    await this.settled();
  }

  /** How many pixels the page is wider than its window; 0 where nothing needs a sideways scroll. */
  async sideways() {
    return this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }

  /** Rests; with SHOTS=1, what the window shows is e2e/screenshots/<name>.png. */
  async window(name) {
    await this.settled();
    await this.#take(name, false);
  }

  /** Lays the whole page out, and rests; with SHOTS=1, all of it is e2e/screenshots/<name>.png. */
  async shoot(name) {
    await layOut(this.page);
    await this.settled();
    await this.#take(name, true);
  }

  async #take(name, fullPage) {
    if (!TAKEN) return;
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SHOTS}${name}.png`, fullPage, animations: 'disabled' });
  }
}
