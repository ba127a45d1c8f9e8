// Every state of the page at every width, in both themes and languages: a screenshot of each, what a careful eye would
// find (looks/faults.mjs), and what axe finds, whatever it calls its weight.

import { expect, test } from '../fixtures.mjs';
import { violations } from '../looks/axe.mjs';
import { faults } from '../looks/faults.mjs';
import { STATES, unfold } from '../looks/states.mjs';

const WIDTHS = [[390, 844], [768, 1024], [1440, 900], [2560, 1440]];
// Windows beside them, as the browser's own emulation makes them: a page that stands is put into each, which costs no start.
const WINDOWS = [
  { what: '320 px', width: 320, height: 640 },
  { what: '720 px at twice the size, as a browser zoomed to 200 %', width: 720, height: 640, scale: 2 },
  { what: 'a phone with a finger', width: 390, height: 640, touch: true },
  { what: 'a phone laid down', width: 844, height: 390, touch: true },
];
const LOCALES = [['en', 'en-US'], ['zh', 'zh-CN']];
// axe takes longer than all the rest: each width is heard in one language and theme, each language in both themes.
const HEARD = { en: { 390: 'light', 2560: 'dark' }, zh: { 768: 'dark', 1440: 'light' } };

for (const { name, expected = [], bilingual = false, reach } of STATES) {
  for (const [lang, locale] of LOCALES) {
    test.describe(`${name}, ${lang}`, () => {
      test.use({ locale, expected });
      test('nothing is cut, overlaps, is out of sight, untranslated or inaccessible', async ({ page, calculator }) => {
        await reach(page, calculator);
        const found = [];
        for (const [width, height] of WIDTHS) {
          await page.setViewportSize({ width, height });
          for (const colorScheme of ['light', 'dark']) {
            const heard = HEARD[lang][width] === colorScheme;
            // Colours move no box.
            if (colorScheme === 'dark' && !heard && !process.env.SHOTS) continue;
            await page.emulateMedia({ colorScheme });
            await calculator.shoot(`matrix/${name}-${lang}-${width}-${colorScheme}`);
            if (heard) found.push(...(await violations(page)).map((text) => `${width} px, ${colorScheme}: ${text}`));
            if (colorScheme === 'dark') continue;
            found.push(...(await faults(page, { lang: bilingual ? 'en' : lang })).map((text) => `${width} px: ${text}`));
          }
        }
        await page.emulateMedia({ colorScheme: 'light' });
        for (const own of WINDOWS) {
          await put(page, own);
          await calculator.shoot(`narrow/${name}-${lang}-${own.width}${own.touch ? '-touch' : ''}`);
          found.push(...(await faults(page, { lang: bilingual ? 'en' : lang })).map((text) => `${own.what}: ${text}`));
        }
        expect(found).toEqual([]);
      });
    });
  }
}

// Puts a page into a window, as a phone's where a finger touches it.
async function put(page, { width, height, scale = 1, touch = false }) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: touch });
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: touch });
  await page.waitForFunction(([own, finger]) => innerWidth === own && matchMedia('(pointer: coarse)').matches === finger, [width, touch]);
}

test('the message before the start is accessible too', async ({ page }) => {
  await page.route('**/boot.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
  await page.goto('./');
  await expect(page.locator('#boot')).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' });

  test('the verdict is at the foot of the screen until it is reached, and hides no field', async ({ page, calculator }) => {
    await calculator.open();
    await calculator.settled();
    const dock = page.locator('.dock-v');
    await expect(dock).toBeInViewport();
    await expect(dock).toContainText('Fits');
    const before = await dock.innerText();
    await page.locator('#hardware-gpus').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('16');
    await expect(dock).not.toHaveText(before);
    await unfold(page, 'form');
    // What has the focus is not under it.
    for (const control of await page.locator('form :is(input:not([type=radio], [type=checkbox]), select):visible').all()) {
      await control.focus();
      expect(await control.evaluate((element) => {
        // What opens a file is shown as the button around it.
        const shown = element.type === 'file' ? element.closest('.btn') : element;
        const { left, right, top, bottom } = shown.getBoundingClientRect();
        return shown.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      }), `${await control.getAttribute('id')} is seen`).toBe(true);
    }
    await page.locator('.skip[href="#answer"]').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('#v-h')).toBeInViewport();
  });
});

test.describe('the eye', () => {
  const sees = (name, body, pattern, options) => test(`sees ${name}`, async ({ page }) => {
    await page.setViewportSize({ width: 600, height: 400 });
    await page.setContent(`<!doctype html><html lang="en"><body>${body}</body></html>`);
    const found = await faults(page, options);
    if (pattern) expect(found.join('\n')).toMatch(pattern);
    else expect(found).toEqual([]);
  });

  sees('nothing wrong where nothing is', '<h1>A page</h1><p>Some words,<br>two lines</p><svg width="90" height="20"><text y="15">drawn</text></svg><label>A <input type="text" value="8k"></label>', null);
  sees('a page wider than its window', '<div style="width:700px">wide</div>', /100 px wider|\d+ px wider/);
  sees('text on text', '<p style="position:absolute;top:10px;left:10px">first words</p><p style="position:absolute;top:14px;left:20px">second words</p>', /text on text: p "first words" and p "second words"/);
  sees('drawn text on drawn text', '<svg width="200" height="40"><text x="10" y="20">one label</text><text x="30" y="22">another</text></svg>', /text on text/);
  sees('text that is cut', '<p style="width:60px;overflow:hidden;white-space:nowrap">far too many words</p>', /cut at its side/);
  sees('lines that are cut', '<p style="height:12px;overflow:hidden">one line<br>and another</p>', /cut below/);
  sees('text that a box further up cuts', '<div style="width:60px;overflow:hidden"><p style="white-space:nowrap">far too many words</p></div>', /cut by div/);
  sees('a value that its field cuts', '<input type="text" style="width:40px" value="1,234,567,890">', /cut: input "1,234,567,890"/);
  sees('a choice that its list cuts', '<select style="width:50px"><option>far too many words</option></select>', /cut: select/);
  sees('text outside of the window', '<p style="position:absolute;left:-50px">out of sight</p>', /outside of the window/);
  for (const odd of ['NaN tokens', 'undefined', 'Infinity', '[object Object]', '$null']) sees(`${odd} where a number belongs`, `<p>${odd}</p>`, /no number/);
  sees('a mark at no place', '<svg width="9" height="9"><g data-at="NaN"/></svg>', /no number: data-at of/);
  sees('an English word in Chinese', '<p lang="zh-CN">吞吐量 throughput</p>', /not translated: p throughput/, { lang: 'zh' });
  sees('an English label in Chinese', '<button aria-label="Close">关闭</button>', /not translated: aria-label of button Close/, { lang: 'zh' });
  sees('that names and terms are no English', '<p>veRL 0.9.1，Qwen3-8B，8 × H100-SXM，token，rollout，72.6 GiB，TP 2</p>', null, { lang: 'zh' });
});
