// Prints what the npm package weighs.
//
//   node scripts/npm-size.mjs FOLDER TARBALL

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const [folder, tarball] = process.argv.slice(2);
const wasm = readFileSync(join(folder, 'shardwise_bg.wasm'));
const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(`${tarball}: ${kb(statSync(tarball).size)}; its wasm ${kb(wasm.length)}, ${kb(brotliCompressSync(wasm).length)} in brotli`);
