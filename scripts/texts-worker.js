// Starts the calculator's program in a worker and passes messages on: in the one called engine, which answers what is typed,
// or in the one that writes flags, reads scripts and finds advice. A template: the build puts in its names.
//
// A message is a request as JSON; the answer to each is JSON, or an empty text where the program failed. `null` says that
// it has started.

import init, { answer, estimate } from './@JS@';

const ask = self.name === 'engine' ? estimate : answer;
const started = init({ module_or_path: new URL('./@WASM@', import.meta.url) });
// A failure is said in answer to the first message.
started.then(() => self.postMessage(null), () => {});

async function pass({ data }) {
  try {
    await started;
    self.postMessage(await ask(data));
  } catch {
    self.postMessage('');
  }
}

self.addEventListener('message', pass);
