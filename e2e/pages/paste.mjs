// The paste box as a person meets it.

import { expect } from '@playwright/test';

export class PasteBox {
  constructor(page) {
    this.page = page;
    this.opener = page.locator('#paste-open');
    this.box = page.locator('#paste');
    this.text = page.locator('#paste-t');
    this.report = page.locator('#paste .outcome');
    this.rows = page.locator('#paste .reada > li');
    this.changes = page.locator('#paste .readc > li');
    this.diff = page.locator('#paste-diff');
  }

  async open() {
    await this.opener.click();
    await expect(this.text).toBeFocused();
  }

  /** Puts a text in and waits for what is said about it. */
  async paste(text) {
    if (!(await this.box.isVisible())) await this.open();
    await this.text.fill(text);
    await expect(this.report.locator('.read-h, .callout').first()).toBeVisible();
  }

  use(name) {
    return this.box.getByRole('button', { name });
  }
}
