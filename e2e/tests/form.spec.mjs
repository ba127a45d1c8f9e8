// The question: the model is looked for, a file is taken, a GPU is described, and nothing typed is lost.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '../fixtures.mjs';

test('a model is found by words in any order, by keyboard', async ({ page, calculator }) => {
  await calculator.open();
  const model = page.locator('#model');
  await model.click();
  await model.fill('30b qwen');
  await calculator.window('picker-open');
});
