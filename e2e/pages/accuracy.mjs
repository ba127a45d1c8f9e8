// The accuracy page as a person meets it.

import { expect } from '@playwright/test';
import { Calculator } from './calculator.mjs';

export class Accuracy extends Calculator {
  constructor(page) {
    super(page);
    // Points of a class lie together in a few paths.
    this.points = page.locator('#plot-runs svg[role=img] :is([class^="pt-full"], [class^="pt-part"])');
    this.chosenPoints = page.locator('#plot-runs svg[role=img] .sel');
    this.strips = page.locator('.strips > li:not(.sh)');
    this.rows = page.locator('#runs tbody tr');
    this.near = page.locator('.near');
    this.alert = page.getByRole('alert');
  }

  /** Opens the page and waits until it shows its runs. */
  async open(suffix = '') {
    await this.page.goto(`./accuracy/${suffix}`);
    await this.shown();
  }

  async shown() {
    await this.started();
    await expect(this.points.first()).toBeVisible();
    await this.settled();
  }

  /** Opens a tab, and waits for its runs. */
  async tab(name) {
    await this.page.getByRole('tab', { name }).click();
    await expect(this.points.first()).toBeVisible();
    await this.settled();
  }

  press(name) {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  /** How many runs the chart shows, or how many dots a strip has. */
  marks(paths) {
    return paths.evaluateAll((all) => all.map((path) => path.getAttribute('d').split('M').length - 1).reduce((sum, own) => sum + own, 0));
  }

  /** All rows of the table, not the first few. */
  async showAll() {
    const more = this.page.locator('#all-runs[aria-expanded=false]');
    if (await more.count()) await more.click();
    await this.settled();
  }

  /** The runs of the data files that have both figures of a quantity. */
  async expected(kind) {
    const named = kind === 'generation' ? 'generation' : 'runs';
    const runs = await this.page.evaluate(async (name) => {
      const file = new URL(document.documentElement.dataset[name], document.baseURI);
      return (await fetch(file)).json();
    }, named);
    return runs.filter((run) => run[kind]?.measured && run[kind]?.left_out);
  }

  /** The column of the table under a head. */
  async column(head) {
    return this.page.locator('#runs table').evaluate((table, name) => {
      const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.replace(/ [↑↓]$/, ''));
      const index = heads.indexOf(name);
      return [...table.tBodies[0].rows].map((row) => row.cells[index].textContent);
    }, head);
  }
}
