// The page of a first visit as markup, so that its words and figures stand before any program: the program itself is run here,
// in a document without layout, and what it drew is written down.
//
//   node scripts/first-answer.mjs SITE LANGUAGE            prints the calculator's markup
//   node scripts/first-answer.mjs SITE LANGUAGE accuracy   and the accuracy page's
//
// It is shown until the program has drawn the same (app/index.html, boot.css) and can be read, not used: what it says of
// itself to scripts, and what is answered further down, is left out.

import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from '../e2e/node_modules/happy-dom/lib/index.js';
import { fetchFiles } from './fetch-files.mjs';

const [site, language, folder] = process.argv.slice(2);
// Of each page: its program, and what is shown of it.
const { program, written } = folder === 'accuracy'
  ? { program: /^accuracy-[0-9a-f]+\.js$/, written: writtenErrors }
  : { program: /^shardwise-app(-[0-9a-f]+)?\.js$/, written: writtenAnswer };
// Of a browser, what Node has no name for, and what it has another of: the program asks whether things are of these.
const SHARED = new Set([
  'Blob', 'CustomEvent', 'Event', 'EventTarget', 'File', 'Headers', 'MessageChannel', 'MessageEvent', 'MessagePort', 'Request', 'Response',
  'Storage', 'fetch', 'localStorage', 'navigator', 'sessionStorage',
]);
// How long the program may take, in milliseconds.
const PATIENCE = 60_000;

const window = browser(`http://localhost/${folder ? `${folder}/` : ''}?lang=${language}`);
await start(window);
process.stdout.write(written(window.document));
process.exit(0);

/** Gives this process the names of a browser that shows the site's page. */
function browser(url) {
  const page = new Browser({
    settings: { disableJavaScriptFileLoading: true, disableJavaScriptEvaluation: true, disableCSSFileLoading: true },
  }).newPage();
  page.setViewport({ width: 1440, height: 900 });
  page.url = url;
  page.content = readFileSync(join(site, folder ?? '', 'index.html'), 'utf8');
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

/** Runs the program until the page says that it is whole. */
async function start({ document }) {
  const script = readdirSync(site).find((file) => program.test(file));
  fetchFiles();
  const fetchFile = globalThis.fetch;
  // The site's own files by their addresses, as a browser gives them: the program asks whether an answer is one.
  globalThis.fetch = async (url) => (/^(?:\.\/)?[\w-]+\.json$/.test(url) ? new globalThis.Response(readFileSync(join(site, url), 'utf8')) : fetchFile(url));
  window.fetch = globalThis.fetch;
  const { default: init } = await import(pathToFileURL(resolve(site, script)).href);
  await init({ module_or_path: readFileSync(join(site, script.replace(/\.js$/, '_bg.wasm'))) });
  const end = Date.now() + PATIENCE;
  while (document.documentElement.dataset.ready !== '1') {
    if (Date.now() > end) throw new Error('the page was not whole in time');
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** The bar, the question, and the answer as far as it is the program's own. */
function writtenAnswer(document) {
  const verdict = document.querySelector('#answer .verdict');
  if (!verdict?.textContent.includes('GiB')) throw new Error('the page shows no answer');
  return upTo(document, verdict);
}

/** The bar, the tabs, and the errors of the first. */
function writtenErrors(document) {
  const strips = document.querySelector('#panel .strips');
  if (!strips?.querySelector('.strip .dt')) throw new Error('the page shows no errors');
  return upTo(document, strips);
}

/** The bar and the page down to an element: what stands below it is built after it, too. */
function upTo(document, last) {
  const parts = [document.querySelector('header.top'), document.querySelector('main.page, main.doc')];
  const missing = parts.findIndex((part) => !part);
  if (missing >= 0) throw new Error(`the page has no part ${missing} to show first`);
  for (let own = last; own !== parts[1]; own = own.parentElement) {
    while (own.nextElementSibling) own.nextElementSibling.remove();
  }
  return parts.map(markup).join('');
}

/** An element as markup, without what names it to scripts and to assistive programs: the page itself has the same names. */
function markup(node) {
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  if (node.nodeType === 3) return escape(node.data);
  if (node.nodeType !== 1 || node.hidden || node.matches('dialog, [popover], script')) return '';
  const tag = node.localName === 'main' ? 'div' : node.localName;
  // Of a list, what is chosen.
  if (tag === 'option' && !isChosen(node)) return '';
  const attributes = [...node.attributes].filter(({ name }) => !/^(id|for|name|tabindex|role|href|popovertarget|aria-.*|data-.*)$/.test(name)).map(({ name, value }) => [name, value]);
  const set = (name, value) => attributes.push([name, value]);
  if (node.hasAttribute('href')) set('href', '#');
  if (node.hasAttribute('aria-pressed')) set('aria-pressed', node.getAttribute('aria-pressed'));
  if (node.hasAttribute('aria-current')) set('aria-current', node.getAttribute('aria-current'));
  if (tag === 'input' && ['radio', 'checkbox'].includes(node.type)) {
    if (node.checked) set('checked', '');
  } else if (tag === 'input') {
    set('value', node.value);
  }
  const words = attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join('');
  const inside = tag === 'textarea' ? escape(node.value) : [...node.childNodes].map(markup).join('');
  const empty = ['input', 'img', 'br', 'hr'].includes(tag);
  return `<${tag}${words}>${empty ? '' : `${inside}</${tag}>`}`;
}

function isChosen(option) {
  const list = option.closest('select');
  return [...list.options].some((own) => own.isChosen) ? option.isChosen : option.value === list.value;
}
