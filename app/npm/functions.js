// The functions, in objects and in texts. The program takes and gives JSON.

import * as program from './shardwise.js';

export { build } from './build.js';

let ready = false;

// Not for callers: index.js and node.js say that the program is there.
export function started() {
  ready = true;
}

function loaded() {
  if (!ready) throw new Error('Shardwise is not loaded yet: await init() first.');
  return program;
}

// What is no JSON is refused like any other wrong question. Array.map gives its index where the options stand.
const text = (value) => JSON.stringify(value) ?? 'null';
const chosen = (options) => (options === undefined || typeof options === 'number' ? '' : text(options));
const list = (texts) => (Array.isArray(texts) ? texts : [texts]).map(String);

export const json = Object.freeze({
  estimate: (question, options) => loaded().estimate(String(question), chosen(options)),
  search: (question, options) => loaded().search(String(question), chosen(options)),
  flags: (question, options) => loaded().flags(String(question), chosen(options)),
  read: (texts, options) => loaded().read(list(texts), chosen(options)),
});

export const estimate = (question, options) => JSON.parse(json.estimate(text(question), options));
export const search = (question, options) => JSON.parse(json.search(text(question), options));
export const flags = (question, options) => JSON.parse(json.flags(text(question), options));
export const read = (texts, options) => JSON.parse(json.read(texts, options));

export function catalog(table) {
  const rows = loaded().catalog(String(table)).split('\n').map((row) => JSON.parse(row));
  if (rows[0].error) throw new RangeError(rows[0].error.message);
  return rows;
}
