// The page of a first visit as markup, so that its words and figures stand before any program: the program itself is run here,
// in a document without layout, and what it drew is written down.
//
//   node scripts/first-answer.mjs SITE LANGUAGE            prints the calculator's markup
//   node scripts/first-answer.mjs SITE LANGUAGE accuracy   and the accuracy page's
//
// It is shown until the program has drawn the same (app/index.html, boot.css) and can be read, not used: what it says of
// itself to scripts, and what is answered further down, is left out.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { browse, start } from './drawing.mjs';
import { fetchFiles } from './fetch-files.mjs';

const [site, language, folder] = process.argv.slice(2);
// Of each page: its program, and what is shown of it.
const { program, written } = folder === 'accuracy'
  ? { program: /^accuracy-[0-9a-f]+\.js$/, written: writtenErrors }
  : { program: /^shardwise-app(-[0-9a-f]+)?\.js$/, written: writtenAnswer };
// How long the program may take, in milliseconds.
const PATIENCE = 60_000;

const page = readFileSync(join(site, folder ?? '', 'index.html'), 'utf8');
const window = browse(`http://localhost/${folder ? `${folder}/` : ''}?lang=${language}`, page);
await draw(window);
// What does not fit into the pipe at once is still to be written.
process.stdout.write(written(window.document), () => process.exit(0));

/** Runs the program until the page says that it is whole. */
async function draw({ document }) {
  fetchFiles();
  const fetchFile = globalThis.fetch;
  // The site's own files by their addresses, as a browser gives them: the program asks whether an answer is one.
  globalThis.fetch = async (url) => (/^(?:\.\/)?[\w-]+\.json$/.test(url) ? new globalThis.Response(readFileSync(join(site, url), 'utf8')) : fetchFile(url));
  window.fetch = globalThis.fetch;
  await start(site, program);
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

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** An element as markup, without what names it to scripts and to assistive programs: the page itself has the same names. */
function markup(node) {
  if (node.nodeType === 3) return escape(node.data);
  if (node.nodeType !== 1 || node.hidden || node.matches('dialog, [popover], script')) return '';
  // Of what folds, the line that stays.
  if (node.matches('details:not([open]) > :not(summary)')) return '';
  if (node.matches('select, textarea, input:not([type=radio], [type=checkbox])')) return drawn(node);
  const tag = node.localName === 'main' ? 'div' : node.localName;
  const attributes = [...node.attributes].filter(({ name }) => !/^(id|for|name|tabindex|role|href|popovertarget|aria-.*|data-.*)$/.test(name)).map(({ name, value }) => [name, value]);
  const set = (name, value) => attributes.push([name, value]);
  if (node.hasAttribute('href')) set('href', '#');
  if (node.hasAttribute('aria-pressed')) set('aria-pressed', node.getAttribute('aria-pressed'));
  if (node.hasAttribute('aria-current')) set('aria-current', node.getAttribute('aria-current'));
  if (tag === 'input' && node.checked) set('checked', '');
  const words = attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join('');
  const inside = [...node.childNodes].map(markup).join('');
  const empty = ['input', 'img', 'br', 'hr'].includes(tag);
  return `<${tag}${words}>${empty ? '' : `${inside}</${tag}>`}`;
}

/** A control as it looks: for a real one a browser that fills in forms lays out the page before its style sheet is there. */
function drawn(control) {
  const isList = control.localName === 'select';
  const said = isList ? chosen(control)?.textContent : control.value;
  const words = said ? escape(said) : `<i>${escape(control.placeholder ?? '')}</i>`;
  return `<bdi class="${`drawn ${isList ? 'drawn-list' : control.className}`.trim()}">${words}</bdi>`;
}

function chosen(list) {
  const options = [...list.options];
  return options.find((own) => own.isChosen) ?? options.find((own) => own.value === list.value);
}
