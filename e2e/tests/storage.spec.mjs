// The page where storage is full, refused, missing or full of what somebody else wrote.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { WHOLE } from '../browser.mjs';
import { expect, guarded, test } from '../fixtures.mjs';
import { failed, kept, stored, update } from '../pages/offline.mjs';

test.use({ stored: true });

const ready = (page) => expect(page.locator('html')).toHaveAttribute('data-ready', '1');

async function works(page) {
  await ready(page);
  await expect(page.locator('#flags-panel pre').first()).toContainText('python3 -m verl');
  const gpus = page.locator('#hardware-gpus');
  await gpus.fill('16');
  await expect(page).toHaveURL(/hardware\.gpus=16/);
  await page.locator('input[name=theme]').nth(2).evaluate((choice) => choice.click());
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
}

test.describe('a full storage', () => {
  test('keeps nothing half, and takes the site once there is room', async ({ host }) => {
    const page = await host.context.newPage();
    const asked = [];
    host.interfere = (file) => void asked.push(file);
    const devtools = await host.context.newCDPSession(page);
    const origin = new URL(host.url).origin;
    // Room for some files, not for all.
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 400_000 });
    await page.goto(host.url);
    await works(page);
    await failed(page, asked);
    expect(await kept(page)).toEqual({});

    await devtools.send('Storage.overrideQuotaForOrigin', { origin });
    await page.reload();
    await ready(page);
    await stored(page);
    const before = await kept(page);
    expect(Object.keys(before)).toHaveLength(1);

    // No room for a second version beside the first.
    const { usage } = await devtools.send('Storage.getUsageAndQuota', { origin });
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: usage + 200_000 });
    host.publish('second');
    expect(await update(page)).toBe('redundant');
    expect(await kept(page)).toEqual(before);
    await host.context.setOffline(true);
    await page.reload();
    await ready(page);
    await host.context.setOffline(false);
  });
});

// As a browser does that is told to block all that sites store.
test('works where the browser blocks all storage', async ({ baseURL }) => {
  const profile = mkdtempSync(join(tmpdir(), 'shardwise-profile-'));
  mkdirSync(join(profile, 'Default'));
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: WHOLE, args: ['--no-sandbox'], locale: 'en-US', viewport: { width: 1440, height: 900 },
  });
  const problems = await guarded(context, new URL(baseURL).origin);
  const page = await context.newPage();
  await page.goto(baseURL);
  expect(await page.evaluate(() => {
    try {
      return typeof window.localStorage;
    } catch (error) {
      return error.name;
    }
  })).toBe('SecurityError');
  await ready(page);
  await works(page);
  await context.close();
  rmSync(profile, { recursive: true, force: true });
  expect(problems).toEqual([]);
});

test('works in a browser that has no storage, no caches, no database and no service worker', async ({ page, calculator }) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'caches', 'indexedDB']) {
      delete Window.prototype[name];
      delete window[name];
    }
    delete Navigator.prototype.serviceWorker;
  });
  await calculator.open('#');
  expect(await page.evaluate(() => ['localStorage', 'sessionStorage', 'caches', 'indexedDB'].filter((name) => name in window).concat('serviceWorker' in navigator ? 'serviceWorker' : []))).toEqual([]);
  await works(page);
  await page.goto('./accuracy/');
  await calculator.started();
});

const KEYS = {
  localStorage: ['shardwise-lang', 'shardwise-theme', 'shardwise-open', 'shardwise-sure', 'shardwise-keys-off', 'shardwise-recent', 'shardwise-clusters'],
  sessionStorage: ['shardwise-question', 'shardwise-form', 'shardwise-aside'],
};

const HOSTILE = {
  'huge text': 'A'.repeat(500_000),
  'lines without end': '2026-11-21 v=1\n'.repeat(30_000),
  markup: '<img src=x onerror="document.title=1"><script>document.title=1</script>',
  'an address that is a script': 'javascript:document.title=1',
  'a name of the language': '__proto__',
  'JSON of another shape': '{"__proto__":{"polluted":1},"constructor":[1,2,{"toString":null}]}',
  'control characters': '\u0000\u0001\u001b[31m\u202e\ufffe\ud800',
  'a number': '1e999',
};

test.describe('a browser in Chinese', () => {
  test.use({ locale: 'zh-CN' });
  for (const [what, text] of Object.entries(HOSTILE)) {
    test(`takes ${what} in the storage for nothing`, async ({ page, calculator }) => {
      await page.addInitScript(([keys, value]) => {
        for (const [storage, names] of Object.entries(keys)) for (const name of names) window[storage].setItem(name, value);
      }, [KEYS, text]);
      await calculator.open();
      // As on a first visit: the system's language and colours, all that folds closed, no recent question.
      await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
      await expect(page.locator('html')).not.toHaveAttribute('data-theme');
      await expect(page.locator('details.fold[open]')).toHaveCount(0);
      await expect(page.locator('#preset option[value^="recent "], #preset option[value=erase]')).toHaveCount(0);
      await works(page);
      await expect(page.locator('#compare-end')).toHaveCount(0);
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press('?');
      await expect(page.locator('#keys')).toBeVisible();
      expect(await page.title()).toContain('Shardwise');
      expect(await page.evaluate(() => ({}).polluted)).toBeUndefined();
      await page.goto('./accuracy/');
      await calculator.started();
    });
  }
});
