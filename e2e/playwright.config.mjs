import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CHROMIUM } from './browser.mjs';
import { AT, PORT, STORED } from './sites.mjs';
import { defineConfig } from '@playwright/test';

const serve = (port, ...options) => ({
  command: ['node', JSON.stringify(fileURLToPath(new URL('./serve.mjs', import.meta.url))), '--port', port, '--at', AT, ...options].join(' '),
  url: `http://127.0.0.1:${port}${AT}`,
  reuseExistingServer: false,
  timeout: 60_000,
});

export default defineConfig({
  testDir: './tests',
  testMatch: '*.spec.mjs',
  outputDir: './test-results',
  // Each with a browser of its own; files are spread over them.
  workers: Math.min(2, availableParallelism()),
  retries: 0,
  forbidOnly: true,
  // Ceilings, for a machine that has other work: tests wait for states, and none of them for a time.
  timeout: 240_000,
  expect: {
    timeout: 60_000,
    toHaveScreenshot: { threshold: 0.2, maxDiffPixelRatio: 0.01, animations: 'disabled', caret: 'hide', scale: 'device' },
  },
  // The same pictures on every machine: fonts are pinned (tests/visual.spec.mjs).
  snapshotPathTemplate: '{testDir}/../visual/{arg}{ext}',
  reporter: 'list',
  use: {
    baseURL: `http://127.0.0.1:${PORT}${AT}`,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    // What a test looks at is not on its way: no smooth scroll, nothing that fades.
    contextOptions: { reducedMotion: 'reduce' },
    // Each test compiles the programs anew: to optimise them takes a tenth of the time, and no test is the faster for it.
    launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox', '--js-flags=--liftoff-only'] },
  },
  webServer: [serve(PORT, '--gallery', '--unstored'), serve(STORED.port)],
});
