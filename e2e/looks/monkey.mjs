// A monkey at the page: seeded, so that what it finds is found again.

/** What it types where a number or a name belongs: half of it rubbish, half of it something to compute with. */
export const RUBBISH = ['-1', '0', '1e999', '-1e-400', 'NaN', 'Infinity', 'null', 'undefined', '<script>alert(1)</script>', '🙂🐒', '𝟠', '１６',
  '1,2,3', '1.5.5', '0x10', '１e5', "'; DROP TABLE gpus; --", '%00', '{{7*7}}', '\u202e8', '9007199254740993', '18446744073709551616', ' ', '٣',
  `${'9'.repeat(400)}`, `${'長い'.repeat(2000)}`, '[object Object]', '{"hidden_size": 1e400}', '../../etc/passwd', 'a\u0000b'];
const SENSE = ['1', '2', '3', '4', '8', '16', '64', '256', '512', '4096', '8k', '1.5B', '70%', '0.9', '0', '', '', 'qwen3-8b', 'Qwen3-30B-A3B', 'llama-3.1-70b'];

/** Does `count` things, beginning with the seed's `from`th; resolves to what is wrong with the page then. */
export function act(page, seed, count) {
  return page.evaluate(play, { seed, count, rubbish: RUBBISH, sense: SENSE });
}

/* Runs in the page. */
async function play({ seed, count, rubbish, sense }) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const any = (list) => list[Math.floor(random() * list.length)];
  // A task's pause: what the last thing set off runs.
  const breathe = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  });
  const put = (element, text) => {
    const kind = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(element, text);
    element.dispatchEvent(new InputEvent('input', { bubbles: true, data: text }));
  };
  const text = () => any(random() < 0.5 ? rubbish : sense);
  const press = (key) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));

  // To the page's own entries alone: twice back at once would leave it.
  const go = (by) => {
    const entry = navigation.entries()[navigation.currentEntry.index + by];
    if (!entry) return;
    const { committed, finished } = navigation.traverseTo(entry.key);
    for (const one of [committed, finished]) one.catch(() => {});
  };

  const ways = [
    [40, () => { const field = any([...document.querySelectorAll('input[type=text], textarea')]); if (field) put(field, text()); }],
    [20, () => {
      const select = any([...document.querySelectorAll('select')]);
      if (!select) return;
      select.selectedIndex = Math.floor(random() * select.options.length);
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }],
    // A download is a file on the disk each time.
    [16, () => any([...document.querySelectorAll('button:not(.download, [disabled])')])?.click()],
    [8, () => any([...document.querySelectorAll('input[type=radio], input[type=checkbox]')])?.click()],
    [4, () => any([...document.querySelectorAll('summary')])?.click()],
    [4, () => { const target = any([...document.querySelectorAll('[tabindex], button, input, select, summary, a')]); target?.focus(); press(any(['Escape', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'Home', 'End', 'Enter', ' '])); }],
    [3, () => {
      const field = any([...document.querySelectorAll('input[type=text], textarea')]);
      if (!field) return;
      const data = new DataTransfer();
      data.setData('text/plain', text());
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }],
    [2, () => any([...document.querySelectorAll('a[href*="#"]:not([target])')])?.click()],
    [2, () => go(-1)],
    [1, () => go(1)],
    [1, () => { location.hash = any([`v=1&model=${encodeURIComponent(text())}&z=1`, text(), 'v=1&hardware.gpus=', 'answer', '']); }],
  ];
  const sum = ways.reduce((all, [weight]) => all + weight, 0);
  // No way out of the page.
  window.monkeyStays ??= (document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (link && (link.target || new URL(link.href).pathname !== location.pathname)) event.preventDefault();
  }, true), true);
  for (let done = 0; done < count; done += 1) {
    let at = random() * sum;
    const [, way] = ways.find(([weight]) => (at -= weight) < 0) ?? ways[0];
    way();
    if (done % 5 === 4) await breathe();
  }
  await new Promise((done) => setTimeout(done, 0));
  const typed = new Set([...rubbish, ...sense]);
  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!/NaN|undefined|Infinity|\bnull\b|\[object/.test(node.data) || !element.checkVisibility()) continue;
    // What was typed is shown as it was typed; `null` is a value of YAML and JSON.
    if (element.closest('#paste, .msg, .callout-bad, .callout-warn, .foot-report, pre, code, option') || typed.has(node.data)) continue;
    wrong.push(`${element.tagName}.${element.className}: ${node.data.slice(0, 80)}`);
  }
  for (const element of document.querySelectorAll('svg *')) {
    for (const { name, value } of element.attributes) if (/NaN|undefined|Infinity/.test(value)) wrong.push(`${element.tagName} ${name}=${value.slice(0, 60)}`);
  }
  return wrong;
}
