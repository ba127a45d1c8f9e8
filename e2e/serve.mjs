// Serves the built site as a careful host would: exact types, strict headers, nothing outside its folder.
//
//   node e2e/serve.mjs [--port 8080] [--at /] [--dir dist]

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import http from 'node:http';
import { dirname, extname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SITE = resolve(dirname(fileURLToPath(import.meta.url)), '../dist');

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

const HEADERS = {
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Public files without a secret: a frame with sandbox="allow-scripts" alone may load them too.
  'access-control-allow-origin': '*',
};

// A worker has the policy that its own file comes with, not the page's.
const WORKERS = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

// The file for a path under `at`, or null for a path that leaves the folder or is not below `at`.
function fileFor(url, dir, at) {
  const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  if (!path.startsWith(at) || path.includes('\0')) return null;
  const inside = path.slice(at.length);
  const file = resolve(dir, `./${inside}`, inside === '' || inside.endsWith('/') ? 'index.html' : '');
  return file === dir || file.startsWith(dir + sep) ? file : null;
}

async function answer(request, response, dir, at) {
  const refuse = (status, text) => response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain' }).end(`${text}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'method not allowed');
  let file = null;
  let info = null;
  try {
    file = fileFor(request.url, dir, at);
    info = file && (await stat(file));
  } catch {
    info = null;
  }
  if (!info?.isFile()) return refuse(404, 'not found');
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  const policy = extname(file) === '.js' ? { 'content-security-policy': WORKERS } : {};
  response.writeHead(200, { ...HEADERS, ...policy, 'content-type': type, 'content-length': info.size });
  if (request.method === 'HEAD') return response.end();
  createReadStream(file).on('error', () => response.destroy()).pipe(response);
}

/** Starts the server; port 0 takes a free one. Resolves to its address and a function that stops it. */
export function serve({ dir = SITE, at = '/', port = 0 } = {}) {
  const folder = resolve(dir);
  const server = http.createServer((request, response) => answer(request, response, folder, at));
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
    options: { port: { type: 'string', default: '8080' }, at: { type: 'string', default: '/' }, dir: { type: 'string', default: SITE } },
  });
  try {
    const { url } = await serve({ dir: values.dir, at: values.at, port: Number(values.port) });
    console.log(`Shardwise is at ${url}  (Ctrl-C stops it)`);
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    console.error(`Port ${values.port} is taken. Choose another: make serve PORT=8090`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
