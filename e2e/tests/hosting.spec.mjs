// What the built files are, whoever serves them: names, pages, headers, what an installed app is told.

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { HASHED, NAMED, headers, pagePolicy } from '../../scripts/hosting.mjs';
import { COMMIT, commit } from '../../scripts/identity.mjs';
import { filesOf } from '../../scripts/offline.mjs';
import { WHOLE } from '../browser.mjs';
import { expect, guarded, test } from '../fixtures.mjs';
import { stored } from '../pages/offline.mjs';
import { parse, rulesOf } from '../rules.mjs';

test.use({ stored: true });

const SITE = fileURLToPath(new URL('../../dist', import.meta.url));
const read = (file) => readFileSync(join(SITE, file));
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
const files = filesOf(SITE);
const pages = files.filter((file) => file.endsWith('.html'));

test('every file is named after its bytes, or has a reason not to be', () => {
  expect(files.filter((file) => !HASHED.test(file) && !/(^|\/)index\.html$/.test(file) && !(file in NAMED))).toEqual([]);
  // Files that belong together share a digest: a program's script and its wasm. Where they name each other, it is that of what is
  // in them without it.
  const without = (file, mark) => (file.endsWith('.js') ? Buffer.from(read(file).toString().replaceAll(`-${mark}`, '')) : read(file));
  const groups = new Map();
  for (const file of files.filter((name) => HASHED.test(name))) {
    const [, name] = HASHED.exec(file);
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  expect(groups.size).toBeGreaterThan(6);
  for (const [name, group] of groups) expect([group, digest(Buffer.concat(group.sort().map((file) => without(file, name)))).slice(0, 16)]).toEqual([group, name]);
});

test('every page carries its policy, sends no referrer, and has no script or style of its own', () => {
  expect(pages).toEqual(expect.arrayContaining(['404.html', 'accuracy/index.html', 'index.html', 'methods/index.html', 'methods/zh/index.html']));
  for (const file of pages) {
    const html = read(file).toString();
    const policies = [...html.matchAll(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/g)].map(([, policy]) => policy);
    if (file === '404.html') expect(policies).toEqual(["default-src 'none'; base-uri 'none'; form-action 'none'"]);
    else expect([file, policies]).toEqual([file, [pagePolicy()]]);
    expect(html, file).toContain('<meta name="referrer" content="no-referrer">');
    // The policy comes before anything that it is to hold for.
    expect(html.indexOf('Content-Security-Policy'), file).toBeLessThan(html.search(/<(script|link|title|body)/));
    expect(html, file).not.toMatch(/<style|<script(?![^>]* src=)|<script[^>]*>[^<]|<iframe|<object|<embed\b|<form[^>]* action|\sstyle=|\son[a-z]+="|javascript:/);
  }
});

test('every page says of which commit it is', () => {
  const told = new Set(pages.filter((file) => file !== '404.html').map((file) => / data-commit="([^"]*)"/.exec(read(file).toString())?.[1] ?? ''));
  expect(told.size).toBe(1);
  const [own] = told;
  expect(own).toMatch(COMMIT);
  // Nothing that it was built of has changed since, or `make` would have built it anew.
  expect(own === '', 'a clone names its commit').toBe(commit() === '');
  for (const file of pages.filter((name) => /^(methods|command-line)/.test(name))) expect(read(file).toString()).toContain(own && `+${own}</code>`);
});

test('every page asks for addresses of its own folder alone, and they are there', () => {
  for (const file of pages) {
    const html = read(file).toString();
    const [, base] = /<base href="([^"]*)">/.exec(html) ?? [null, './'];
    const asked = [...html.matchAll(/<(?:script|link|img)\b[^>]*?\s(?:src|href|data-js|data-wasm)="[^>]*>/g)]
      .flatMap(([tag]) => [...tag.matchAll(/\s(?:src|href|data-js|data-wasm)="([^"]*)"/g)].map(([, address]) => address))
      .concat([...html.matchAll(/data-(?:worker|runs|near-\w+)="([^"]*)"/g)].map(([, address]) => address));
    if (file !== '404.html') expect(asked.length, file).toBeGreaterThan(5);
    for (const address of asked) {
      expect([file, address]).toEqual([file, expect.stringMatching(/^(\.\/)?[\w.-]+$/)]);
      const { pathname } = new URL(address, new URL(base, `http://host/${file}`));
      expect(files, `${file} asks for ${address}`).toContain(pathname.slice(1));
    }
  }
});

test('the policy has no way out', () => {
  const directives = Object.fromEntries(pagePolicy().split('; ').map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]));
  expect(directives['default-src']).toBe("'none'");
  expect(directives['script-src']).toBe("'self' 'wasm-unsafe-eval'");
  for (const [name, sources] of Object.entries(directives)) expect([name, sources]).toEqual([name, expect.stringMatching(/^('none'|'self'( 'wasm-unsafe-eval'| data:)?)$/)]);
  expect(headers()['Content-Security-Policy']).toBe(`${pagePolicy()}; frame-ancestors *`);
});

test('_headers says each header of a file once, for all files', () => {
  const rules = parse(read('_headers').toString());
  expect(rules.length).toBeLessThanOrEqual(100);
  const lines = read('_headers').toString().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(2000);
  const own = rulesOf(SITE);
  for (const file of files) {
    const sent = own(`/${file}`);
    for (const [name, value] of Object.entries(headers())) expect([file, sent[name.toLowerCase()]]).toEqual([file, value]);
    expect([file, sent['cache-control']]).toEqual([file, HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate']);
  }
});

test('can be installed as an app', async ({ baseURL }) => {
  const profile = mkdtempSync(join(tmpdir(), 'shardwise-profile-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath: WHOLE, args: ['--no-sandbox'] });
  const problems = await guarded(context, new URL(baseURL).origin);
  const page = await context.newPage();
  await page.goto(baseURL);
  await stored(page);
  const devtools = await context.newCDPSession(page);
  const manifest = await devtools.send('Page.getAppManifest');
  expect(manifest.errors).toEqual([]);
  const said = JSON.parse(manifest.data);
  const from = (address) => new URL(address, manifest.url).href;
  for (const key of ['id', 'start_url', 'scope']) expect([key, from(said[key])]).toEqual([key, baseURL]);
  for (const key of ['name', 'short_name', 'description', 'lang', 'dir', 'display', 'theme_color', 'background_color']) expect(said[key], key).toBeTruthy();
  expect(said.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual(['any any', '192x192 any', '512x512 any', '512x512 maskable']);
  // Each picture is there, and as large as it says; each shortcut leads to a page.
  for (const { src, sizes, type } of [...said.icons, ...said.screenshots]) {
    const shown = await page.evaluate(async ({ url, wanted }) => {
      const reply = await fetch(url);
      const image = new Image();
      image.src = url;
      await image.decode();
      return [reply.headers.get('content-type'), wanted === 'any' ? wanted : `${image.naturalWidth}x${image.naturalHeight}`];
    }, { url: from(src), wanted: sizes });
    expect([src, ...shown]).toEqual([src, type, sizes]);
  }
  for (const { url } of said.shortcuts) {
    expect(from(url).startsWith(baseURL)).toBe(true);
    expect((await page.request.get(from(url))).status()).toBe(200);
  }
  expect((await devtools.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
  await context.close();
  rmSync(profile, { recursive: true, force: true });
  expect(problems).toEqual([]);
});
