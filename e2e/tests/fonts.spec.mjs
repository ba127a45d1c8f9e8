// No page is wider than its window, whatever the font: DejaVu Sans is the widest that systems come with, Noto Sans CJK
// what a system without Latin faces takes. Chromium's packages and scripts/setup install both.

import { expect, test } from '../fixtures.mjs';
import { drawIn } from '../looks/fonts.mjs';

const ALL = 'form,verdict,gpus,memory,time,timeline,front,scaling,plans,sensitivity,flags,advice';
const PAGES = {
  calculator: ['?lang=en', '?lang=zh'],
  accuracy: ['accuracy/?lang=en', 'accuracy/?lang=zh'],
  methods: ['methods/', 'methods/zh/'],
  'command line': ['command-line/', 'command-line/zh/'],
  guides: ['python/', 'python/zh/', 'embed/', 'embed/zh/', 'api/', 'api/zh/', 'your-run/', 'your-run/zh/'],
  embed: [`?embed&lang=en&panels=${ALL}`, `?embed&lang=zh&panels=${ALL}`],
};

for (const font of ['DejaVu Sans', 'Noto Sans CJK SC']) {
  for (const [name, addresses] of Object.entries(PAGES)) {
    test(`${name} in ${font} fits the window`, async ({ page, calculator }) => {
      await drawIn(page, font, 'DejaVu Sans Mono');
      for (const address of addresses) {
        await page.setViewportSize({ width: 320, height: 800 });
        await page.goto(`./${address}`);
        if (address.includes('?')) await calculator.started();
        for (const width of [320, 390, 768]) {
          await page.setViewportSize({ width, height: 800 });
          await calculator.settled();
          expect([address, width, await calculator.sideways()]).toEqual([address, width, 0]);
        }
      }
    });
  }
}
