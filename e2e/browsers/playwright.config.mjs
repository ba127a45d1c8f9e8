import site from '../playwright.config.mjs';

// Firefox and WebKit as Debian has them. Playwright runs the tests; the browsers are driven by what they themselves speak.
const { webServer: _, ...rest } = site;

export default { ...rest, testDir: '.', outputDir: '../test-results/browsers', workers: 1 };
