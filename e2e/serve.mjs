// Serves the built site as a careful host would: exact types, the headers of its `_headers`, nothing outside its folder.
//
//   node e2e/serve.mjs [--port 8080] [--at /] [--dir dist] [--gallery] [--compress] [--unstored]
//
// With --gallery, gallery/ shows the parts of the page (e2e/gallery); with --compress, texts are sent as hosts send them;
// with --unstored, browsers store nothing of the site, which every test of something else would wait for.

import { createReadStream } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import http from 'node:http';
import { dirname, extname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { COMPRESSED, TYPES } from '../scripts/hosting.mjs';
import { rulesOf } from './rules.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const SITE = resolve(HERE, '../dist');
const GALLERY = resolve(HERE, 'gallery');

// The file for a path under `at`, or null for a path that leaves the folder or is not below `at`.
async function fileFor(url, { dir, at, gallery }) {
  const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  if (!path.startsWith(at) || path.includes('\0')) return null;
  const inside = path.slice(at.length);
  return gallery && inside.startsWith('gallery/') ? galleryFile(inside.slice('gallery/'.length), dir) : within(dir, inside);
}

function within(dir, inside) {
  const file = resolve(dir, `./${inside}`, inside === '' || inside.endsWith('/') ? 'index.html' : '');
  return file === dir || file.startsWith(dir + sep) ? file : null;
}

// The gallery's own files, and the built site's sheets under names without a digest.
async function galleryFile(inside, dir) {
  const sheet = /^(style|accuracy)\.css$/.exec(inside)?.[1];
  if (!sheet) return within(GALLERY, inside);
  const built = (await readdir(dir)).find((file) => file.startsWith(`${sheet}-`) && file.endsWith('.css'));
  return built ? resolve(dir, built) : null;
}

// Each file's compressed bytes, made once.
const compressed = new Map();
function compress(file) {
  if (!compressed.has(file)) compressed.set(file, readFile(file).then(promisify(brotliCompress)));
  return compressed.get(file);
}

async function answer(request, response, site) {
  const path = request.url.replace(/[?#].*/s, '').slice(site.at.length - 1);
  if (site.interfere && (await site.interfere(path.slice(1), response))) return;
  const rules = rulesOf(site.dir)(path);
  if (site.unstored && path === '/sw.js') return response.writeHead(200, { ...rules, 'content-type': 'text/javascript' }).end('// Stores nothing.\n');
  const refuse = (status, text) => response.writeHead(status, { ...rules, 'content-type': 'text/plain' }).end(`${text}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'method not allowed');
  let file = null;
  let info = null;
  try {
    file = await fileFor(request.url, site);
    info = file && (await stat(file));
  } catch {
    info = null;
  }
  if (!info?.isFile()) return refuse(404, 'not found');
  const ending = extname(file).slice(1);
  const type = TYPES[ending] ?? 'application/octet-stream';
  const etag = `"${info.size.toString(36)}-${Math.round(info.mtimeMs).toString(36)}"`;
  const headers = { etag, ...rules, 'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type };
  if (request.headers['if-none-match'] === etag) return response.writeHead(304, headers).end();
  if (site.compress && COMPRESSED.has(ending) && /\bbr\b/.test(request.headers['accept-encoding'] ?? '')) {
    const bytes = await compress(file);
    response.writeHead(200, { ...headers, 'content-encoding': 'br', vary: 'accept-encoding', 'content-length': bytes.length });
    return response.end(request.method === 'HEAD' ? undefined : bytes);
  }
  response.writeHead(200, { ...headers, 'content-length': info.size });
  if (request.method === 'HEAD') return response.end();
  createReadStream(file).on('error', () => response.destroy()).pipe(response);
}

/**
 * Starts the server; port 0 takes a free one. Resolves to its address and a function that stops it.
 *
 * `interfere(file, response)` may answer in its place, and then returns true.
 */
export function serve({ dir = SITE, at = '/', port = 0, gallery = false, compress: squeeze = false, unstored = false, interfere } = {}) {
  const site = { dir: resolve(dir), at, gallery, compress: squeeze, unstored, interfere };
  const server = http.createServer((request, response) => answer(request, response, site));
  return new Promise((done, failed) => {
    server.on('error', failed);
    server.listen(port, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${server.address().port}${at}`;
      const stop = () => new Promise((stopped) => {
        server.close(stopped);
        server.closeAllConnections();
      });
      done({ url, stop });
    });
  });
}

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      at: { type: 'string', default: '/' },
      dir: { type: 'string', default: SITE },
      gallery: { type: 'boolean', default: false },
      compress: { type: 'boolean', default: false },
      unstored: { type: 'boolean', default: false },
    },
  });
  try {
    const { url } = await serve({ ...values, port: Number(values.port) });
    console.log(`Shardwise is at ${url}${values.gallery ? 'gallery/' : ''}  (Ctrl-C stops it)`);
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    console.error(`Port ${values.port} is taken. Choose another: make serve PORT=8090`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
