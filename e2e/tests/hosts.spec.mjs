// The release archive on the servers that a host may run, with the configurations that it brings along.

import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, utimesSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { COMPRESSED, HASHED, TYPES, headers as wanted } from '../../scripts/hosting.mjs';
import { filesOf } from '../../scripts/offline.mjs';
import { pack } from '../../scripts/release-site.mjs';
import { expect, guarded, test } from '../fixtures.mjs';
import { ask, start, unpacked } from '../hosting.mjs';
import { kept, stored } from '../pages/offline.mjs';

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
const plain = (file) => !/\.(br|gz)$/.test(file);

let made;
test.beforeAll(async () => {
  made = await unpacked();
});

test('the archive holds the site, its licences and true sums, and comes out the same again', () => {
  const { archive, folder } = made;
  expect(execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })).toBe('');
  const listed = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n').map((line) => line.slice(66));
  expect(listed.concat('SHA256SUMS').sort()).toEqual(filesOf(folder));
  const dist = filesOf('dist');
  expect(filesOf(join(folder, 'site')).filter(plain)).toEqual(dist);
  for (const file of dist) expect(digest(readFileSync(join(folder, 'site', file))), file).toBe(digest(readFileSync(join('dist', file))));
  for (const file of ['LICENSE-APACHE', 'LICENSE-MIT', 'SECURITY.md', 'deploy/README.md', 'deploy/nginx.conf', 'deploy/Caddyfile', 'deploy/github-pages.yml']) {
    expect(existsSync(join(folder, file)), file).toBe(true);
  }
  const before = digest(readFileSync(archive));
  for (const file of filesOf(folder)) {
    utimesSync(join(folder, file), 1e9, 1e9);
    chmodSync(join(folder, file), 0o600);
  }
  expect(digest(readFileSync(pack(folder)))).toBe(before);
});

test('each compressed file is its text, and smaller', () => {
  const site = join(made.folder, 'site');
  const texts = filesOf(site).filter((file) => COMPRESSED.has(extname(file).slice(1)));
  const total = { text: 0, br: 0, gz: 0 };
  for (const file of texts) {
    const text = readFileSync(join(site, file));
    total.text += text.length;
    for (const [ending, open] of [['br', brotliDecompressSync], ['gz', gunzipSync]]) {
      const bytes = readFileSync(join(site, `${file}.${ending}`));
      expect(open(bytes).equals(text), file).toBe(true);
      expect(bytes.length).toBeLessThan(text.length);
      total[ending] += bytes.length;
    }
  }
  expect(total.gz).toBeLessThan(total.text / 2);
  expect(total.br).toBeLessThan(total.gz);
});

for (const [kind, encoding] of [['nginx with brotli', 'br'], ['nginx with gzip', 'gzip'], ['caddy', 'br']]) {
  test.describe(kind, () => {
    let server;
    test.beforeAll(async () => {
      server = await start(kind, made.folder);
    });
    test.afterAll(() => server.stop());

    test('sends every file as it should', async () => {
      const site = join(made.folder, 'site');
      for (const at of ['/', '/a/b/']) {
        for (const file of filesOf(site).filter((name) => plain(name) && name !== '_headers')) {
          const ending = extname(file).slice(1);
          const address = server.url + at + file.replace(/(^|\/)index\.html$/, '$1');
          const reply = await ask(address, { 'accept-encoding': 'gzip, br' });
          const own = { ...reply.headers };
          expect([file, reply.status]).toEqual([file, 200]);
          for (const [name, value] of Object.entries(wanted())) expect([file, name, own[name.toLowerCase()]]).toEqual([file, name, value]);
          expect(own['content-type'].split(';')[0], file).toBe(TYPES[ending]);
          if (/^text\//.test(TYPES[ending])) expect(own['content-type'].toLowerCase(), file).toContain('charset=utf-8');
          expect(own['cache-control'], file).toBe(HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate');
          expect([file, own['content-encoding']]).toEqual([file, COMPRESSED.has(ending) ? encoding : undefined]);
          const text = { br: brotliDecompressSync, gzip: gunzipSync }[own['content-encoding']]?.(reply.body) ?? reply.body;
          expect(text.equals(readFileSync(join(site, file))), file).toBe(true);
          if (own['content-encoding']) expect(own.vary.toLowerCase()).toContain('accept-encoding');
          // Asked again, it is not sent again.
          expect(own.etag, file).toBeTruthy();
          const again = await ask(address, { 'accept-encoding': 'gzip, br', 'if-none-match': own.etag });
          expect([file, again.status, again.body.length]).toEqual([file, 304, 0]);
          // For who cannot unpack.
          const bare = await ask(address);
          expect(bare.headers['content-encoding']).toBeUndefined();
          expect(bare.body.equals(readFileSync(join(site, file))), file).toBe(true);
        }
        const missing = await ask(`${server.url}${at}nothing-0123456789abcdef.js`);
        expect(missing.status).toBe(404);
        expect(missing.headers['x-content-type-options']).toBe('nosniff');
      }
    });

    for (const at of ['/', '/a/b/']) {
      test(`serves the calculator at ${at}, which then works offline`, async ({ browser }) => {
        const context = await browser.newContext();
        const problems = await guarded(context, server.url);
        // A wasm file is compiled as it comes, or its start says that it was not.
        await context.addInitScript(() => {
          const { instantiateStreaming } = WebAssembly;
          WebAssembly.instantiateStreaming = async (...words) => {
            const result = await instantiateStreaming.apply(WebAssembly, words);
            window.streamed = true;
            return result;
          };
        });
        const page = await context.newPage();
        const ready = () => expect(page.locator('html')).toHaveAttribute('data-ready', '1');
        await page.goto(server.url + at);
        await ready();
        expect(await page.evaluate(() => window.streamed)).toBe(true);
        await stored(page);
        expect(Object.keys(await kept(page))).toHaveLength(1);
        await context.setOffline(true);
        await page.goto(`${server.url}${at}?x=1#v=1&model=qwen3-8b&hardware.gpu=h20&workload.kind=sft&workload.sequence_length=4096&workload.global_batch=64&z=1`);
        await ready();
        await expect(page.locator('#hardware-gpu')).toHaveValue('h20');
        await page.goto(`${server.url}${at}accuracy/`);
        await ready();
        await context.close();
        expect(problems).toEqual([]);
      });
    }
  });
}
