// What the site's own `_headers` has a host send: the rules of Netlify and Cloudflare Pages, as far as the site uses them.
//
// A line without an indent is an address, * in it any text; the indented lines below are headers. All rules that fit are
// applied, and one header said twice is joined with a comma, which tests forbid.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// What such hosts send by themselves.
const DEFAULTS = { 'cache-control': 'public, max-age=0, must-revalidate' };

export function parse(text) {
  const rules = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    if (/^\S/.test(line)) {
      rules.push({ address: line, headers: [] });
      continue;
    }
    const [, name, value] = /^\s+([\w-]+): (.+)$/.exec(line) ?? [];
    if (!name || rules.length === 0) throw new Error(`_headers: ${line}`);
    rules.at(-1).headers.push([name.toLowerCase(), value]);
  }
  return rules;
}

const fits = (address, path) => new RegExp(`^${address.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`).test(path);

/** A function from a path within the site to the headers that come with it; a folder without the file has none of its own. */
export function rulesOf(dir) {
  const file = join(dir, '_headers');
  const rules = existsSync(file) ? parse(readFileSync(file, 'utf8')) : [];
  return (path) => {
    const own = {};
    for (const { address, headers } of rules) {
      if (!fits(address, path)) continue;
      for (const [name, value] of headers) own[name] = name in own ? `${own[name]}, ${value}` : value;
    }
    return { ...DEFAULTS, ...own };
  };
}
