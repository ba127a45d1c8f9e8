// The crates that are compiled into what is passed on.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What is passed on, by its name. */
export const PRODUCTS = {
  site: { names: ['shardwise-app'], platform: 'wasm32-unknown-unknown', options: [] },
  // app/src/bin/api.rs
  package: { names: ['shardwise-core', 'wasm-bindgen'], platform: 'wasm32-unknown-unknown', options: [] },
  // The module that Python loads, and the command line.
  wheel: { names: ['shardwise-python', 'shardwise-core'], platform: null, options: ['--features', 'shardwise-core/cli'] },
  program: { names: ['shardwise-core'], platform: null, options: ['--features', 'shardwise-core/serve'] },
};

/**
 * The packages that are linked into a product, as cargo tells of them, for a platform other than this machine's where one is
 * named; and what of these takes what, by their ids.
 */
export function linkedInto(product, target) {
  const { names, platform: only, options } = PRODUCTS[product];
  const platform = only ?? target ?? /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { cwd: ROOT, encoding: 'utf8' }))[1];
  const { packages, resolve } = JSON.parse(execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', '--offline', '--filter-platform', platform, ...options], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 }));
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((one) => [one.id, one]));
  const takes = new Map();
  // What is linked: neither of builds and tests, nor macros, which run in the compiler.
  const follow = (id) => {
    if (takes.has(id) || isMacro(byId.get(id))) return;
    const needed = nodes.get(id).deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind === null)).map(({ pkg }) => pkg);
    takes.set(id, needed.filter((own) => !isMacro(byId.get(own))));
    needed.forEach(follow);
  };
  names.map((name) => packages.find((one) => one.name === name).id).forEach(follow);
  return { packages: [...takes.keys()].map((id) => byId.get(id)), takes };
}

function isMacro({ targets }) {
  return targets.some((target) => target.kind.includes('proc-macro'));
}
