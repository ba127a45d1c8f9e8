// The calculator inside another page: what it tells the page around it, and what it hears from it. boot.js loads it in a
// frame only.
//
// Every message is {type, v: 1} and the fields named here, no others. Heard are the window that the frame stands in and
// nobody else, the latest message of each kind at a time; whatever else comes is dropped without a word.
//
//   in   shardwise:listen                 from now on tell questions and answers
//        shardwise:question {question}    show this question, a document of the interface
//        shardwise:theme {theme}          'light', 'dark', or 'auto' for the reader's system
//   out  shardwise:ready {id}             messages are heard now; a mark of this page
//        shardwise:gone {id}              this page goes; another may take its place in the frame
//        shardwise:height {height}        height of the content in CSS pixels
//        shardwise:question {question}    the question that is shown
//        shardwise:answer {answer}        its answer as `shardwise estimate` gives it, or the error document of a question
//                                         that was refused
//
// Height and readiness are no secret. What a reader asks goes to a host that has asked for it, to its origin alone.

const FIELDS = new Map([['shardwise:listen', []], ['shardwise:question', ['question']], ['shardwise:theme', ['theme']]]);

/** Most characters of a question: as long as a link may be. */
const MOST = 64 << 10;

/** How long messages gather, in milliseconds. A timer, because nothing is painted in a frame out of sight. */
const PAUSE_MS = 50;

const root = document.documentElement;
const heard = new Map();
let listener = null;
let waiting = false;

/** Starts to report and to listen; `whole` resolves once the page is built. */
export function embed(whole) {
  window.addEventListener('message', hear);
  window.addEventListener('hashchange', () => report());
  window.addEventListener('shardwise:link', () => report());
  const id = `${Math.random()}`;
  window.addEventListener('pagehide', () => tell('gone', { id }));
  new ResizeObserver(tellHeight).observe(root);
  whole.then(() => tell('ready', { id }));
}

function tell(kind, rest, to = '*') {
  window.parent.postMessage({ type: `shardwise:${kind}`, v: 1, ...rest }, to);
}

function tellHeight() {
  tell('height', { height: Math.ceil(root.getBoundingClientRect().height) });
}

function hear({ source, origin, data }) {
  if (source !== window.parent || !isKnown(data)) return;
  heard.set(data.type, { ...data, origin });
  if (waiting) return;
  waiting = true;
  setTimeout(heed, PAUSE_MS);
}

function isKnown(data) {
  const fields = data?.v === 1 && !Array.isArray(data) && FIELDS.get(data.type);
  return Boolean(fields) && Object.keys(data).length === fields.length + 2 && fields.every((field) => Object.hasOwn(data, field));
}

function heed() {
  const latest = (kind) => heard.get(`shardwise:${kind}`);
  const [listen, theme, question] = ['listen', 'theme', 'question'].map(latest);
  heard.clear();
  waiting = false;
  if (theme) paint(theme.theme);
  if (listen) {
    // A sandboxed host has no origin to name.
    listener = listen.origin === 'null' ? '*' : listen.origin;
    report();
  }
  if (question) show(question.question);
}

function paint(theme) {
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  else if (theme === 'auto') delete root.dataset.theme;
}

/** A question that is small enough, as data alone; null for anything else. The walk ends where it becomes too long. */
function small(question) {
  if (typeof question !== 'object' || question === null || Array.isArray(question)) return null;
  let left = MOST;
  try {
    return JSON.parse(JSON.stringify(question, (key, value) => {
      left -= key.length + (typeof value === 'string' ? value.length : 4);
      if (left < 0) throw new RangeError();
      return value;
    }));
  } catch {
    return null;
  }
}

async function show(asked) {
  const question = small(asked);
  const found = question && (await work({ is: 'link', question }));
  if (!found) return;
  if (found.answer) return listener && tell('answer', { answer: found.answer }, listener);
  // No step of the host's history. The page follows its address.
  location.replace(`#${found.hash}`);
  report();
}

let reporting = false;
let again = false;
let reported = null;

/** Tells the question of the address and its answer, once each, and only the latest. */
async function report() {
  const hash = location.hash.slice(1);
  // Places in the page have no value.
  if (!listener || !hash.includes('=')) return;
  again = reporting;
  if (reporting) return;
  reporting = true;
  const key = `${listener} ${hash}`;
  const found = key === reported ? null : await work({ is: 'answer', hash });
  reporting = false;
  if (again) return report();
  if (!found) return;
  reported = key;
  if (found.question) tell('question', { question: found.question }, listener);
  tell('answer', { answer: found.answer }, listener);
}

let worker = null;
let last = Promise.resolve();

/** How long the worker may keep quiet, its start and download with it, in milliseconds. */
const PATIENCE_MS = 180_000;

/** What the worker of the texts finds, one task after the other; null where there is no worker. One that stops or hangs is replaced once. */
function work(task) {
  last = last.then(async () => (await ask(task)) ?? (await ask(task)))
    .then((found) => found?.result ?? null);
  return last;
}

/** The reply of the worker, which is started where there is none; null where it stopped, as on a trap of the program, or hangs. */
function ask(task) {
  return new Promise((done) => {
    let watch;
    const end = (found) => {
      clearTimeout(watch);
      done(found);
    };
    // What has trapped answers nothing more.
    const stopped = () => {
      worker?.terminate();
      worker = null;
      end(null);
    };
    try {
      worker ??= new Worker(new URL(root.dataset.worker, document.baseURI), { type: 'module' });
      // Its first word is that it has started; an empty one, that the program failed.
      worker.onmessage = ({ data }) => data !== null && (data ? end(JSON.parse(data)) : stopped());
      worker.onerror = (event) => {
        event.preventDefault();
        stopped();
      };
      watch = setTimeout(stopped, PATIENCE_MS);
      worker.postMessage(JSON.stringify({ id: 1, task }));
    } catch {
      // Some sandboxes allow no worker.
      end({ result: null });
    }
  });
}
