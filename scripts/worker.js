// Starts the calculator's program in a worker and passes messages on: in the one called engine, which answers what is typed,
// or in the one that writes flags, reads scripts and finds advice. A template: the build puts in its names.
//
// A message is a request as JSON; the answer to each is JSON, or an empty text where the program failed. `null` says that
// it has started.

import init, { answer, estimate } from './@JS@';

const ask = self.name === 'engine' ? estimate : answer;
// Parts by the names of the workers that need them: they are fetched beside the program itself, and the script that loads them
// takes them from here.
const parts = { engine: @ENGINE@, 'texts in Chinese': @CHINESE@ };
self.early = new Map((parts[self.name] ?? []).map((file) => {
  const { href } = new URL(file, import.meta.url);
  return [href, fetch(href)];
}));
const started = init({ module_or_path: new URL('./@WASM@', import.meta.url) });
// Its part of the program is on its way before it is asked. A failure is said in answer to the first message.
started.then(() => {
  self.postMessage(null);
  return ask('');
}).catch(() => {});

async function pass({ data }) {
  try {
    await started;
    self.postMessage(await ask(data));
  } catch {
    self.postMessage('');
  }
}

self.addEventListener('message', pass);
