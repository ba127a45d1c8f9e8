// The body of a page of text as markup: the program draws it in a document without layout, and all that stands there is
// written down.
//
//   node scripts/text-page.mjs SITE DOCUMENT LANGUAGE COMMIT

import { browse, start } from './drawing.mjs';
import { fetchFiles } from './fetch-files.mjs';

const [site, document, lang, commit] = process.argv.slice(2);
// Before there is a window, as in a worker: else it would draw its own page.
const { answer } = await start(site, /^shardwise-app(-[0-9a-f]+)?\.js$/);
const { body } = browse('http://localhost/', `<!doctype html><html data-commit="${commit}"><body></body></html>`).document;
fetchFiles();
await answer(JSON.stringify({ id: 1, lang, task: { is: 'document', document } }));
if (!body.textContent.includes('Shardwise')) throw new Error(`the program drew no page ${document}`);
// Places that stayed empty are marked for the program.
// What does not fit into the pipe at once is still to be written.
process.stdout.write(body.innerHTML.replaceAll('<!---->', ''), () => process.exit(0));
