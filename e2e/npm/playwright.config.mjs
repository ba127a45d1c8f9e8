import site from '../playwright.config.mjs';
import { PORT } from '../sites.mjs';

// Three projects that use the packed package: a Node script, a Vite project and a page without a bundler.
const { webServer: _, ...rest } = site;

export default {
  ...rest,
  testDir: '.',
  globalSetup: './prepare.mjs',
  outputDir: '../test-results/npm',
  timeout: 900_000,
  use: { ...rest.use, baseURL: `http://127.0.0.1:${PORT}/` },
};
