// A document without layout, in which the build has the site's own programs draw.

import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from '../e2e/node_modules/happy-dom/lib/index.js';

// Of a browser, what Node has no name for, and what it has another of: the program asks whether things are of these.
const SHARED = new Set([
  'Blob', 'CustomEvent', 'Event', 'EventTarget', 'File', 'Headers', 'MessageChannel', 'MessageEvent', 'MessagePort', 'Request', 'Response',
  'Storage', 'fetch', 'localStorage', 'navigator', 'sessionStorage',
]);

/** Gives this process the names of a browser that shows a page of the site. */
export function browse(url, content) {
  const page = new Browser({
    settings: { disableJavaScriptFileLoading: true, disableJavaScriptEvaluation: true, disableCSSFileLoading: true },
  }).newPage();
  page.setViewport({ width: 1440, height: 900 });
  page.url = url;
  page.content = content;
  const { window } = page.mainFrame;
  for (const name of Object.getOwnPropertyNames(window)) {
    if (name in globalThis && !SHARED.has(name)) continue;
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
  }
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent', 'matchMedia', 'getComputedStyle']) {
    globalThis[name] = window[name].bind(window);
  }
  Object.assign(globalThis, { window: globalThis, self: globalThis, document: window.document, location: window.location, history: window.history });
  // A list of this document lets go of a choice where another of its options is told that it is none.
  const option = window.HTMLOptionElement.prototype;
  const { get, set } = Object.getOwnPropertyDescriptor(option, 'selected');
  Object.defineProperty(option, 'selected', {
    get,
    set(on) {
      this.isChosen = on;
      set.call(this, on);
    },
  });
  globalThis.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()));
  // What the worker writes comes later.
  globalThis.Worker = undefined;
  globalThis.Window = class {
    static [Symbol.hasInstance](value) {
      return value === globalThis;
    }
  };
  return window;
}

/** Starts a program of the site, and gives what it exports. */
export async function start(site, program) {
  const script = readdirSync(site).find((file) => program.test(file));
  const { default: init, ...exported } = await import(pathToFileURL(resolve(site, script)).href);
  await init({ module_or_path: readFileSync(join(site, script.replace(/\.js$/, '_bg.wasm'))) });
  return exported;
}
