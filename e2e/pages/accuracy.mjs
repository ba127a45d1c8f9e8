// The accuracy page as a person meets it.

import { expect } from '@playwright/test';
import { Calculator } from './calculator.mjs';

export class Accuracy extends Calculator {
  constructor(page) {
    super(page);
    this.points = page.locator('#plot-runs svg[role=img] [class^="pt-full"], #plot-runs svg[role=img] [class^="pt-part"]');
    this.chosenPoints = page.locator('#plot-runs svg[role=img] .sel');
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
  }

  press(name) {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  /** All rows of the table, not the first few. */
  async showAll() {
    const more = this.page.locator('#all-runs[aria-expanded=false]');
    if (await more.count()) await more.click();
  }

  /** The runs of the data file that have both figures. */
  async expected(kind, of) {
    const runs = await this.page.evaluate(async () => {
      const file = new URL(document.documentElement.dataset.runs, document.baseURI);
      return (await (await fetch(file)).json()).runs;
    });
    return runs.filter((run) => run[kind]?.measured && run[kind]?.[of]);
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
