// For Node: the program is there once this module is.

import { readFileSync } from 'node:fs';
import { initSync } from './shardwise.js';
import { started } from './functions.js';

export * from './functions.js';

initSync({ module: readFileSync(new URL('./shardwise_bg.wasm', import.meta.url)) });
started();

export default async function init() {}
