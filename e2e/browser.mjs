// Which Chromium the tests drive.

import { existsSync } from 'node:fs';

/** With its windows, which nobody sees: where a test is about the browser's own settings. */
export const WHOLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Without them, where it is installed: what is shown is the same, and a page opens in half the time. */
export const CHROMIUM = process.env.CHROMIUM ?? ['/usr/bin/chromium-headless-shell'].find(existsSync) ?? WHOLE;
