// What a careful eye would find on a page, found by arithmetic: text that is cut, lies on other text or outside of the
// window; a word of another language; a number that is none.
//
// Works on whatever page is shown, from boxes and text alone, and knows no class.

import { readFileSync } from 'node:fs';
import { layOut } from './laid.mjs';

/** Latin words that stay Latin in Chinese: terms of the field, names, units, keys. What holds a digit, has capitals
 * inside or no small letters at all is a name anyway. */
export const LATIN = new Set(`
  token tokens rollout batch micro prefill decode prompt prompts logits log-prob log-probs softmax token/s tokens/s tok/s
  qwen fsdp ddp deepspeed megatron vllm sglang attention dense gradient checkpointing head eager full none selective recompute Rollout Logits Ulysses sandbox
  Shardwise Apache Megatron Bridge Core Ray Hugging Face Adam AdamW Adafactor Lion SGD Muon Fire axolotl slime Unsloth torchtitan ms-swift swift LLMForge Accelerate actor critic
  English GitHub Markdown Python traceback config json yaml sh toml csv svg png
  Llama Qwen Eurus Gemma Mistral Mixtral Moonlight Kimi DeepSeek Nemotron Phi Falcon Yi Granite Instruct Base Chat Coder Math
  Blackwell Hopper Ampere Ada Lovelace Volta Turing Instinct Gaudi NVIDIA Intel Grace Pro Super Huawei Ascend MetaX GeForce Spark Workstation per die
  gpu usd_per_gpu_hour provider instance count network kind date
  trained frozen projector images worker Transformers wandb Trainer
  vs s h d k x n ms us min GiB Gbit/s USD
`.trim().split(/\s+/));

// Who rents machines out, what they call them and where these stand.
const OFFERS = readFileSync(new URL('../../core/catalog/data/offers.toml', import.meta.url), 'utf8');
for (const [, name] of OFFERS.matchAll(/(?:provider|instance|region) = "([^"]*)"/g)) {
  // What nobody says is said in the page's language.
  const words = name === 'not stated' ? [] : name.match(/[A-Za-z][A-Za-z0-9_.\-/+]*[A-Za-z0-9]/g) ?? [];
  for (const word of words) LATIN.add(word);
}

/** The faults of what is shown, as sentences; `lang` is the page's language, `margin` what lies around the window. */
export async function faults(page, { lang = 'en', margin = 0 } = {}) {
  await layOut(page);
  return page.evaluate(look, { lang, margin, latin: [...LATIN] });
}

/* Runs in the page. */
function look({ lang, margin, latin }) {
  const found = new Set();
  const wide = document.documentElement.clientWidth;
  const excess = document.documentElement.scrollWidth - wide;
  if (excess > 0) found.add(`the page is ${excess} px wider than its window`);

  const name = (element) => {
    const id = element.id ? `#${element.id}` : '';
    const kind = typeof element.className === 'string' && element.className ? `.${element.className.trim().split(/\s+/).join('.')}` : '';
    const parent = element.parentElement?.closest('[id], section, figure, form');
    return `${parent ? `${parent.id ? `#${parent.id}` : parent.tagName.toLowerCase()} ` : ''}${element.tagName.toLowerCase()}${id}${kind}`;
  };
  // What is read out and not shown is one pixel large.
  const unseen = (element) => element.clientWidth === 1 && element.clientHeight === 1;
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !unseen(element);
  const brief = (text) => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 60));

  // What an element's ancestors leave of a box; null where nothing is left.
  const clips = new Map();
  function clip(element) {
    if (!element || element === document.body || element === document.documentElement) return null;
    if (clips.has(element)) return clips.get(element);
    const outer = clip(element.parentElement);
    const style = getComputedStyle(element);
    let own = outer;
    const svg = element instanceof SVGElement;
    if (!svg && (style.overflowX !== 'visible' || style.overflowY !== 'visible')) {
      const box = element.getBoundingClientRect();
      own = outer ? meet(outer, box) : box;
    }
    clips.set(element, own);
    return own;
  }
  function meet(a, b) {
    const left = Math.max(a.left, b.left);
    const right = Math.min(a.right, b.right);
    const top = Math.max(a.top, b.top);
    const bottom = Math.min(a.bottom, b.bottom);
    return { left, right, top, bottom };
  }
  // Sticky and fixed parts lie over others on purpose, and what is lifted above them.
  const floats = new Map();
  function floating(element) {
    if (!element || element === document.documentElement) return null;
    if (floats.has(element)) return floats.get(element);
    const style = getComputedStyle(element);
    const lifted = style.position === 'absolute' && Number(style.zIndex) > 0 && !/, 0\)$|^transparent$/.test(style.backgroundColor);
    const own = lifted || ['sticky', 'fixed'].includes(style.position) || element.matches('[popover]:popover-open, dialog') ? element : floating(element.parentElement);
    floats.set(element, own);
    return own;
  }

  // Every line of text as a box, from its small letters' top to its base line.
  const boxes = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element || !node.data.trim() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION', 'TITLE', 'DESC'].includes(element.tagName.toUpperCase()) || !shown(element)) continue;
    range.selectNodeContents(node);
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const limit = clip(element);
    for (const line of range.getClientRects()) {
      if (line.width < 1) continue;
      const middle = (line.top + line.bottom) / 2;
      let box = { left: line.left, right: line.right, top: middle - size * 0.34, bottom: middle + size * 0.34 };
      const whole = box;
      if (limit) box = meet(box, limit);
      if (box.right - box.left < 1 || box.bottom - box.top < 1) continue;
      boxes.push({ ...box, element, node });
      if (whole.left < -1 - margin || whole.right > wide + 1 + margin) {
        if (!limit || limit.right > wide + 1) found.add(`outside of the window: ${name(element)} ${brief(node.data)}`);
      }
    }
  }

  // Text on text.
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; i += 1) {
    const a = boxes[i];
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j += 1) {
      const b = boxes[j];
      if (a.node === b.node || floating(a.element) !== floating(b.element)) continue;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1.5 && down > 1.5) found.add(`text on text: ${name(a.element)} ${brief(a.node.data)} and ${name(b.element)} ${brief(b.node.data)}`);
    }
  }

  // Text that its own box cuts: a box that hides what is too much, and shows less than it holds.
  const pen = document.createElement('canvas').getContext('2d');
  for (const element of document.body.querySelectorAll('*')) {
    if (element instanceof SVGElement || !shown(element)) continue;
    const style = getComputedStyle(element);
    if (element.matches('input:not([type=radio], [type=checkbox]), select')) {
      const text = element.matches('select') ? element.selectedOptions[0]?.label ?? '' : element.value || element.placeholder;
      pen.font = style.font;
      const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const needs = pen.measureText(text).width;
      if (text && document.activeElement !== element && needs > room + 1) found.add(`cut: ${name(element)} ${brief(text)} needs ${Math.ceil(needs)} px of ${Math.floor(room)}`);
      continue;
    }
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!text || ['TEXTAREA', 'OPTION'].includes(element.tagName)) continue;
    const hides = (value) => value === 'hidden' || value === 'clip';
    if (hides(style.overflowX) && element.scrollWidth > element.clientWidth + 1) found.add(`cut at its side: ${name(element)} ${brief(element.textContent)}`);
    if (hides(style.overflowY) && element.scrollHeight > element.clientHeight + 2) found.add(`cut below: ${name(element)} ${brief(element.textContent)}`);
  }
  for (const element of document.body.querySelectorAll('*')) {
    if (element instanceof SVGElement || !shown(element) || element.matches('input, select, textarea')) continue;
    if (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1) {
      found.add(`scrolls sideways by ${element.scrollWidth - element.clientWidth} px: ${name(element)} ${element.ariaLabel ?? ''}`);
    }
  }
  // And text whose line runs out of a box that hides it further up.
  for (const { element, node } of boxes) {
    for (let above = element; above && above !== document.body; above = above.parentElement) {
      const style = getComputedStyle(above);
      if (style.overflowX === 'auto' || style.overflowX === 'scroll' || above instanceof SVGElement) break;
      if (style.overflowX !== 'hidden' && style.overflowX !== 'clip') continue;
      range.selectNodeContents(node);
      const line = range.getBoundingClientRect();
      const box = above.getBoundingClientRect();
      if (line.right > box.right + 1.5 || line.left < box.left - 1.5) found.add(`cut by ${name(above)}: ${name(element)} ${brief(node.data)}`);
      break;
    }
  }

  // What is said, and what is drawn.
  const bad = /\b(NaN|undefined|Infinity)\b|∞|\[object |(?<![\w"'])null(?![\w"'])/;
  const said = (element, text, where) => {
    if (!text) return;
    if (bad.test(text) && !element.closest('pre, code, textarea')) found.add(`no number: ${where} ${brief(text)}`);
    if (lang !== 'zh' || element.closest('pre, code, samp, kbd, [lang]:not(:root, [lang^=zh]), option, datalist')) return;
    const words = text.replace(/https?:\/\/\S+/g, ' ').match(/[A-Za-z][A-Za-z0-9_.\-/+]*[A-Za-z0-9]/g) ?? [];
    const odd = words.filter((word) => !/\d|[a-z][A-Z]|_|=|^[a-z]+(\.[a-z]+)+$/.test(word) && !/^[A-Z][A-Z\-/]+s?$/.test(word)
      && !latin.includes(word) && !word.split(/[-/.]/).every((part) => latin.includes(part) || part.length < 2 || /^[A-Z]+$/.test(part)));
    if (odd.length) found.add(`not translated: ${where} ${odd.join(' ')} in ${brief(text)}`);
  };
  const spoken = new Set(boxes.map(({ node }) => node));
  for (const node of spoken) said(node.parentElement, node.data, name(node.parentElement));
  for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
    if (!element.checkVisibility()) continue;
    for (const key of ['aria-label', 'title', 'placeholder', 'alt']) said(element, element.getAttribute(key), `${key} of ${name(element)}`);
  }
  for (const element of document.body.querySelectorAll('svg *')) {
    for (const { name: key, value } of element.attributes) if (/NaN|undefined|Infinity/.test(value)) found.add(`no number: ${key} of ${name(element)} ${brief(value)}`);
  }
  return [...found].sort();
}
