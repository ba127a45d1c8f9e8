// What the program fetches, where Node runs it: the parts that were cut out of it (build-site.mjs). Node fetches no files.

import { readFileSync } from 'node:fs';

// Node's own, which its compiler of programs asks for, whatever else is called so later (drawing.mjs).
const Loaded = Response;

/** Has `fetch` read files. */
export function fetchFiles() {
  globalThis.fetch = async (url) => new Loaded(readFileSync(url), { headers: { 'content-type': 'application/wasm' } });
}
