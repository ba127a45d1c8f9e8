// Starts the calculator and looks after what surrounds it: the message where it cannot start, the
// page that embeds it (frame.js), and the service worker.
//
// A classic script, so that it runs even where modules are blocked, and can say so.
//
// What the page can rely on:
//   document.documentElement.dataset.ready    "1" once the page is whole; the program sets it
//   document.documentElement.dataset.update   "1" while a new version waits
//   event shardwise:update on window          a new version waits: offer it, never swap silently
//   event shardwise:update-accept on window   the page's answer: change to the new version and reload
'use strict';

(() => {
  const { js, wasm } = document.currentScript.dataset;
  const root = document.documentElement;
  const address = (file) => new URL(file, document.baseURI).href;
  const query = new URLSearchParams(location.search);
  const embedded = query.has('embed');

  if (embedded) root.classList.add('is-embed');

  // The engine starts beside the page, which takes it over (app/src/client/desk.rs) unless it has failed by then.
  function startEngine() {
    try {
      const engine = new Worker(address(root.dataset.worker), { type: 'module', name: 'engine' });
      engine.addEventListener('error', () => delete window.shardwiseEngine, { once: true });
      window.shardwiseEngine = engine;
    } catch {
      // The page does without.
    }
  }

  // why: 'unsupported' | 'load' | 'damaged' | 'stopped', as marked in index.html.
  function showFailure(why) {
    const failed = document.getElementById('boot-failed');
    if (!failed) return;
    for (const text of failed.querySelectorAll('[data-why]')) text.hidden = text.dataset.why !== why;
    document.getElementById('boot-skeleton')?.remove();
    failed.hidden = false;
    root.dataset.failed = why;
  }

  async function registerWorker() {
    const registration = await navigator.serviceWorker.register(address('sw.js'));
    const offer = () => {
      root.dataset.update = '1';
      window.dispatchEvent(new CustomEvent('shardwise:update'));
    };
    // The first worker of a first visit is no update.
    const watch = (worker) => {
      const check = () => worker.state === 'installed' && registration.active && offer();
      worker.addEventListener('statechange', check);
      check();
    };
    if (registration.waiting && registration.active) offer();
    if (registration.installing) watch(registration.installing);
    registration.addEventListener('updatefound', () => registration.installing && watch(registration.installing));
    // Asked again until it has taken over: a browser may put off the change, for minutes, while the earlier version's worker
    // is at work, and drops a message to a worker that it is about to stop.
    const change = () => {
      let again;
      const reload = () => {
        clearTimeout(again);
        location.reload();
      };
      const ask = () => {
        if (!registration.waiting) return reload();
        registration.waiting.postMessage('SKIP_WAITING');
        again = setTimeout(ask, 1000);
      };
      navigator.serviceWorker.addEventListener('controllerchange', reload, { once: true });
      ask();
    };
    window.addEventListener('shardwise:update-accept', change, { once: true });
  }

  // What saves charts is loaded by the first press that asks for it.
  document.addEventListener('click', async ({ target }) => {
    const button = target.closest?.('[data-figure]');
    if (button) (await import(address('figure.js'))).save(button);
  });

  // Once the page has been painted, or where it is not to be: in a tab behind, in a frame out of sight.
  const painted = () => new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 100);
  });

  // Once the page is whole, which it is built to be in steps.
  const whole = new Promise((done) => {
    const watch = new MutationObserver(() => {
      if (root.dataset.ready !== '1') return;
      watch.disconnect();
      done();
    });
    watch.observe(root, { attributeFilter: ['data-ready'] });
  });

  // Whether the browser runs a program at all, if only the empty one: eight bytes.
  function runsPrograms() {
    try {
      return Boolean(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
    } catch {
      return false;
    }
  }

  async function start() {
    if (typeof WebAssembly !== 'object') return showFailure('unsupported');
    let init;
    await painted();
    try {
      ({ default: init } = await import(address(js)));
    } catch (error) {
      console.error(error);
      return showFailure('load');
    }
    // The page is built in steps after this one.
    window.addEventListener('error', ({ error }) => error instanceof WebAssembly.RuntimeError && showFailure('stopped'));
    try {
      await init({ module_or_path: address(wasm) });
    } catch (error) {
      console.error(error);
      if (error instanceof WebAssembly.RuntimeError) return showFailure('stopped');
      if (!(error instanceof WebAssembly.CompileError)) return showFailure('load');
      return showFailure(runsPrograms() ? 'damaged' : 'unsupported');
    }
    if (embedded && window.parent !== window) (await import(address('frame.js'))).embed(whole);
    if (embedded || !window.isSecureContext || !('serviceWorker' in navigator)) return;
    // Offline use is an extra: the page works where workers or storage are refused. It takes nothing from the page's start,
    // which fetching and checking every file would.
    await whole;
    await registerWorker().catch(() => {});
  }

  // The switch of colours, where no program moves it. What is chosen is kept as the program keeps it (early.js).
  function followThemes() {
    for (const own of document.querySelectorAll('input[name=theme]')) {
      own.checked = own.value === (root.dataset.theme ?? 'auto');
      own.addEventListener('change', () => {
        if (own.value === 'auto') delete root.dataset.theme;
        else root.dataset.theme = own.value;
        try {
          localStorage.setItem('shardwise-theme', own.value);
        } catch {
          // Storage may be refused.
        }
      });
    }
  }

  // A page without a program, as that of the methods, has nothing to start.
  if (root.dataset.worker) startEngine();
  if (js) start();
  else followThemes();
})();
