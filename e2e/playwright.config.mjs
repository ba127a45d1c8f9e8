import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

// The site is tested under a sub-path, as most static hosts serve it.
const PORT = Number(process.env.E2E_PORT ?? 4173);
const AT = '/a/b/';
const serve = fileURLToPath(new URL('./serve.mjs', import.meta.url));

export default defineConfig({
  testDir: './tests',
  testMatch: '*.spec.mjs',
  outputDir: './test-results',
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    baseURL: `http://127.0.0.1:${PORT}${AT}`,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
  webServer: {
    command: `node ${JSON.stringify(serve)} --port ${PORT} --at ${AT}`,
    url: `http://127.0.0.1:${PORT}${AT}`,
    reuseExistingServer: false,
    timeout: 15_000,
  },
});
