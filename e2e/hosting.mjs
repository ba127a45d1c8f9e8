// The servers that a host may run, with the configurations of deploy/ and the files of the release archive.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { release } from '../scripts/release-site.mjs';

const OUT = fileURLToPath(new URL('./out/servers/', import.meta.url));
const SERVERS = fileURLToPath(new URL('../.tools/servers/', import.meta.url));

/** Makes the archive and unpacks it; where both lie. */
export async function unpacked() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const archive = await release(join(OUT, 'made'));
  execFileSync('tar', ['-C', OUT, '-xzf', archive]);
  return { archive, folder: join(OUT, basename(archive, '.tar.gz')) };
}

const nginx = (folder, port, brotli) => `
daemon off;
master_process off;
pid ${OUT}nginx.pid;
error_log stderr warn;
load_module ${SERVERS}usr/lib/nginx/modules/ngx_http_brotli_static_module.so;
events { worker_connections 64; }
http {
    access_log off;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${OUT}temp;`).join('\n    ')}
    server {
        listen 127.0.0.1:${port};
        root ${folder}/site;
        include ${folder}/deploy/nginx.conf;
        brotli_static ${brotli ? 'on' : 'off'};
        location /a/b/ { alias ${folder}/site/; }
    }
}
`;

const caddy = (folder, port) => `
{
    admin off
    auto_https off
}
import ${folder}/deploy/Caddyfile
http://127.0.0.1:${port} {
    handle_path /a/b/* {
        import shardwise ${folder}/site
    }
    handle {
        import shardwise ${folder}/site
    }
}
`;

const COMMANDS = {
  nginx: (file) => [`${SERVERS}usr/sbin/nginx`, ['-e', 'stderr', '-p', OUT, '-c', file]],
  caddy: (file) => [`${SERVERS}usr/bin/caddy`, ['run', '--adapter', 'caddyfile', '--config', file]],
};

/** Asks once; the body as it travels. */
export function ask(url, headers = {}) {
  return new Promise((done, failed) => {
    http.get(url, { headers }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }));
    }).on('error', failed);
  });
}

const freePort = () => new Promise((done) => {
  const server = http.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

/** Starts a server on the unpacked archive. kind: 'nginx with brotli' | 'nginx with gzip' | 'caddy'. */
export async function start(kind, folder) {
  const port = await freePort();
  const name = kind.split(' ')[0];
  const file = join(OUT, `${name}-${port}.conf`);
  writeFileSync(file, name === 'nginx' ? nginx(folder, port, kind.endsWith('brotli')) : caddy(folder, port));
  const [program, words] = COMMANDS[name](file);
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: OUT } });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const ended = new Promise((done) => child.on('exit', done).on('error', done));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    if (await ask(`${url}/`).then(() => true, () => false)) break;
    if (tries === 1_200 || child.exitCode !== null) throw new Error(`${kind} does not start:\n${said}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
