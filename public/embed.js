// Puts the calculator into another page: as an element, or in an iframe of the page's own, whose height it keeps.
//
//   <script src="https://host/path/embed.js" async></script>
//   <shardwise-calculator model="qwen3-8b" gpu="h200-sxm" gpus="16" workload="grpo"></shardwise-calculator>
//
// A classic script: it finds the site by its own address. The README lists attributes, events and messages.
'use strict';

(() => {
  const NAME = 'shardwise-calculator';
  if (customElements.get(NAME)) return;
  const SITE = new URL('./?embed', document.currentScript.src);
  const system = matchMedia('(prefers-color-scheme: dark)');
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

  function fit(frame, height) {
    if (Number.isFinite(height)) frame.style.height = `${Math.min(Math.max(height, 120), 20000)}px`;
  }

  // Dark or light, as the first opaque background around an element. The canvas reads every way to write a colour.
  function themeAround(element) {
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = getComputedStyle(at).backgroundColor;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
      if (alpha > 127) return 3 * red + 6 * green + blue < 1280 ? 'dark' : 'light';
    }
    const schemes = getComputedStyle(document.documentElement).colorScheme;
    return /dark/.test(schemes) && (system.matches || !/light/.test(schemes)) ? 'dark' : 'light';
  }

  customElements.define(NAME, class Calculator extends HTMLElement {
    static observedAttributes = ['model', 'gpu', 'gpus', 'workload', 'framework', 'panels', 'question', 'lang'];
    static #all = new Set();
    static #watch;
    #frame;
    #theme;
    #ready; // the mark of a page that hears messages
    #listens;
    #asked = null; // the question that was set
    #shown = null; // the question of the frame

    static {
      const follow = () => Calculator.#all.forEach((own) => own.#follow());
      // Twice, as colours may fade.
      this.#watch = new MutationObserver(() => [0, 500].forEach((ms) => setTimeout(follow, ms)));
      system.addEventListener('change', follow);
      // A style sheet may come after this script.
      addEventListener('load', follow);
      addEventListener('message', ({ data, origin, source }) => {
        if (data?.v !== 1) return;
        // Only from a frame itself, while it shows the calculator's site. A page that goes has no window left, but its mark.
        for (const own of this.#all) {
          if (SITE.origin !== origin) break;
          if (data.type === 'shardwise:gone' && data.id === own.#ready) own.#ready = null;
          if (own.#frame.contentWindow === source) own.#hear(data);
        }
        if (data.type !== 'shardwise:height') return;
        for (const frame of document.querySelectorAll('iframe[data-shardwise]')) {
          if (frame.contentWindow === source && frame.src.startsWith(`${origin}/`)) fit(frame, data.height);
        }
      });
    }

    constructor() {
      super().attachShadow({ mode: 'open' });
      // Set before this script came.
      const { question } = this;
      delete this.question;
      if (question) this.question = question;
    }

    connectedCallback() {
      for (let at = this; at; at = at.parentElement) Calculator.#watch.observe(at, { attributes: true });
      this.#listens ||= this.hasAttribute('listen');
      Calculator.#all.add(this);
      this.#show();
    }

    disconnectedCallback() {
      Calculator.#all.delete(this);
      this.#ready = null;
    }

    attributeChangedCallback(name, before, value) {
      if (!this.isConnected || !this.#frame || value === before) return;
      if (name !== 'lang' && name !== 'panels') this.#asked = this.#shown = null;
      this.#show();
    }

    // Who asks for these events wants the frame to send them.
    addEventListener(type, ...rest) {
      super.addEventListener(type, ...rest);
      if (type !== 'question' && type !== 'answer') return;
      this.#listens = true;
      this.#send('listen');
    }

    get question() {
      return this.#shown;
    }

    // A document of the interface; a text is the attribute's.
    set question(question) {
      if (typeof question === 'string') return this.setAttribute('question', question);
      this.#asked = this.#shown = JSON.parse(JSON.stringify(question));
      this.#send('question', { question });
    }

    #show() {
      const address = new URL(SITE);
      const put = (name, value) => value && address.searchParams.set(name, value.slice(0, 200));
      put('panels', this.getAttribute('panels'));
      put('lang', this.closest('[lang]')?.lang);
      put('theme', (this.#theme = this.#wanted()));
      address.hash = this.getAttribute('question') ?? this.#link();
      const frame = document.createElement('iframe');
      frame.title = this.title || 'Shardwise';
      frame.loading = 'lazy';
      frame.allow = 'clipboard-write';
      frame.referrerPolicy = 'no-referrer';
      // Its own storage and worker; files to save; links, and the whole page, in tabs of their own.
      frame.sandbox = 'allow-scripts allow-same-origin allow-downloads allow-popups allow-popups-to-escape-sandbox';
      frame.src = address;
      const height = this.#frame?.style.height || '480px';
      Object.assign(frame.style, { display: 'block', width: '100%', margin: '16px 0', border: 0, height, colorScheme: this.#theme });
      this.#ready = null;
      this.#frame = frame;
      this.shadowRoot.replaceChildren(frame);
    }

    // The other attributes as a link; the calculator adds what is usual for the workload.
    #link() {
      if (!['model', 'gpu', 'gpus', 'workload', 'framework'].some((name) => this.hasAttribute(name))) return '';
      const part = (name, usual) => this.getAttribute(name) ?? usual;
      const link = new URLSearchParams({
        v: 1,
        model: part('model', 'qwen3-8b'),
        'hardware.gpu': part('gpu', 'h100-sxm'),
        'hardware.gpus': part('gpus', 8),
        'workload.kind': part('workload', 'grpo'),
      });
      const framework = this.getAttribute('framework');
      if (framework) link.set('framework', framework);
      link.set('z', 1);
      return `${link}`.replaceAll('+', '%20');
    }

    #wanted() {
      const own = this.getAttribute('theme');
      return own === 'light' || own === 'dark' ? own : themeAround(this);
    }

    #follow() {
      const theme = this.#wanted();
      if (theme === this.#theme) return;
      this.#theme = this.#frame.style.colorScheme = theme;
      this.#send('theme', { theme });
    }

    #send(kind, rest) {
      if (this.#ready) this.#frame.contentWindow.postMessage({ type: `shardwise:${kind}`, v: 1, ...rest }, SITE.origin);
    }

    #hear({ type, id, height, question, answer }) {
      if (type === 'shardwise:height') fit(this.#frame, height);
      if (type === 'shardwise:ready') {
        this.#ready = id;
        this.#send('theme', { theme: this.#theme });
        if (this.#listens) this.#send('listen');
        if (this.#asked) this.#send('question', { question: this.#asked });
      }
      if (type === 'shardwise:question') this.#tell('question', (this.#shown = question));
      if (type === 'shardwise:answer') this.#tell('answer', answer);
    }

    #tell(type, detail) {
      this.dispatchEvent(new CustomEvent(type, { detail }));
    }
  });
})();
