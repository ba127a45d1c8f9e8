// What a host must send with the site's files, in one place: the headers, the types, what may be kept for how long.
//
//   node scripts/hosting.mjs           writes deploy/nginx.conf and deploy/Caddyfile
//   node scripts/hosting.mjs --check   fails where they are not what would be written
//
// `_headers` is written with each build (finish-site.mjs): it names the hashed files. e2e/serve.mjs obeys it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export const TYPES = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
};

/** What shrinks; pictures are compressed already. */
export const COMPRESSED = new Set(['css', 'html', 'js', 'json', 'svg', 'txt', 'wasm', 'webmanifest']);

/** A name that holds the digest of what is in the file: such a file never changes. */
export const HASHED = /-([0-9a-f]{16})(?:_bg)?\.(?:css|js|json|wasm)$/;

// The same for servers.
const NAME = '-[0-9a-f]{16}(_bg)?\\.(css|js|json|wasm)$';

/** Files under names of their own, and why, beside the pages, which have addresses. A test holds every built file against this list and HASHED. */
export const NAMED = {
  '404.html': 'hosts look for it',
  'THIRD-PARTY-LICENSES.txt': 'people look for it',
  _headers: 'hosts look for it',
  'boot.js': 'it is asked anew with its page, and names the others',
  'embed.js': 'other sites name it',
  'frame.js': 'it is asked anew with its page',
  'icon-180.png': 'kept by systems under its name',
  'icon-192.png': 'kept by systems under its name',
  'icon-512.png': 'kept by systems under its name',
  'icon-maskable-512.png': 'kept by systems under its name',
  'icon.svg': 'kept by systems under its name',
  'llms.txt': 'agents look for it',
  'manifest.webmanifest': 'an installed app is known by it',
  'schema.json': 'editors and agents name it',
  'screenshot.png': 'the README and the manifest name it',
  'sw.js': 'a service worker is known by its address',
};

const FOREVER = 'public, max-age=31536000, immutable';
// "Keep it, but ask each time": an answer 304 costs no bytes. What Netlify and Cloudflare send by themselves.
const ASK = 'public, max-age=0, must-revalidate';

/** The policy of the page itself. */
export function pagePolicy() {
  const html = readFileSync(`${ROOT}app/index.html`, 'utf8');
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html) ?? [];
  if (!policy) throw new Error('app/index.html has no policy');
  return policy;
}

/** Headers of every file. Workers have the policy that their own file comes with, so it is sent with scripts too. */
export function headers() {
  return {
    'Content-Security-Policy': `${pagePolicy()}; frame-ancestors *`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  };
}

const pairs = (indent, colon) => Object.entries(headers()).map(([name, value]) => `${indent}${name}${colon}${value}`);

// Why each host's file says what it says.
const WHY = [
  'The policy is that of the page (its meta element), which cannot say who may frame it: any site may. There is no',
  'login, no secret and no button that acts for a person, so there is nothing to steal by a frame. To narrow it, put',
  "your sites in place of the * after frame-ancestors, or 'none'.",
  'Public files: any site may read them, also one in a sandbox, whose origin is null.',
];
const comment = (lines) => lines.map((line) => `# ${line}`.trimEnd());
const MADE = 'Written by scripts/hosting.mjs; change that.';

/** For Netlify and Cloudflare Pages. They join what several rules say of one header, so each is said once per file; both ask anew for a file without a rule about caching. */
export function headersFile(files) {
  const kept = files.filter((file) => HASHED.test(file)).sort();
  return [
    ...comment(WHY),
    '/*',
    ...pairs('  ', ': '),
    '',
    ...comment(['Named after the digest of what is in them: never another.']),
    ...kept.flatMap((file) => [`/${file}`, `  Cache-Control: ${FOREVER}`]),
    '',
  ].join('\n');
}

function nginx() {
  const types = Object.entries(TYPES).map(([ending, type]) => `    ${type} ${ending};`);
  const texts = Object.entries(TYPES).filter(([, type]) => /^text\/(?!html)|javascript/.test(type)).map(([, type]) => type);
  return [
    ...comment([MADE, '', 'For a server block of nginx 1.20 or newer, and a root or alias with the site. See README.md here.', '', ...WHY]),
    ...pairs('add_header ', ' "').map((line) => `${line}" always;`),
    '',
    '# A name with a digest in it never means other bytes; anything else is asked for anew, which 304 answers.',
    `set $shardwise_cache "${ASK}";`,
    `if ($uri ~ "${NAME}") {`,
    `    set $shardwise_cache "${FOREVER}";`,
    '}',
    'add_header Cache-Control $shardwise_cache;',
    '',
    'types {',
    ...types,
    '}',
    'default_type application/octet-stream;',
    'charset utf-8;',
    `charset_types ${texts.join(' ')};`,
    '',
    '# The .gz beside each text. With the package libnginx-mod-http-brotli-static, add `brotli_static on;`.',
    'gzip_static on;',
    'gzip_vary on;',
    'absolute_redirect off;',
    '',
  ].join('\n');
}

function caddy() {
  return [
    ...comment([MADE, '', 'For Caddy 2.6 or newer. Import it, then `import shardwise /folder/of/the/site`. See README.md here.', '', ...WHY]),
    '(shardwise) {',
    '\theader {',
    ...Object.entries(headers()).map(([name, value]) => `\t\t${name} "${value}"`),
    '\t}',
    '\t# A name with a digest in it never means other bytes; anything else is asked for anew, which 304 answers.',
    `\t@hashed path_regexp ${NAME}`,
    `\theader @hashed Cache-Control "${FOREVER}"`,
    `\t@named not path_regexp ${NAME}`,
    `\theader @named Cache-Control "${ASK}"`,
    ...['js', 'webmanifest', 'wasm'].flatMap((ending) => [
      `\t@${ending} path *.${ending}`,
      `\theader @${ending} Content-Type "${TYPES[ending]}${ending === 'js' ? '; charset=utf-8' : ''}"`,
    ]),
    '\tfile_server {',
    '\t\troot {args.0}',
    '\t\tprecompressed br gzip',
    '\t}',
    '}',
    '',
  ].join('\n');
}

function main() {
  const check = process.argv.includes('--check');
  for (const [file, text] of Object.entries({ 'deploy/nginx.conf': nginx(), 'deploy/Caddyfile': caddy() })) {
    if (!check) writeFileSync(ROOT + file, text);
    else if (readFileSync(ROOT + file, 'utf8') !== text) {
      console.error(`${file} is not what scripts/hosting.mjs writes: node scripts/hosting.mjs`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
