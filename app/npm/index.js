// For browsers and bundlers: `await init()` loads the program, whose file bundlers find and name.

import load from './shardwise.js';
import { started } from './functions.js';

export * from './functions.js';

let loading;

export default function init(source) {
  loading ??= load(source === undefined ? undefined : { module_or_path: source }).then(started, (error) => {
    // The next call tries again.
    loading = undefined;
    throw error;
  });
  return loading;
}
