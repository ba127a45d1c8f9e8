// The calculator of a site of yours as a component: an element that loads its page when it comes near the window. It draws on
// the server too; what stands inside of it is seen until the calculator is there, and where no script runs.

'use client';

import { createElement, useEffect, useRef } from 'react';

const ATTRIBUTES = ['model', 'gpu', 'gpus', 'workload', 'framework', 'panels', 'lang', 'theme', 'title'];

export default function Shardwise({ site, question, onAnswer, onQuestion, children, ...rest }) {
  const element = useRef(null);
  // What is called is the last one that was given, without a listener for each.
  const told = useRef({});
  told.current = { answer: onAnswer, question: onQuestion };
  const heard = Boolean(onAnswer || onQuestion);
  const link = typeof question === 'string' ? question.slice(question.indexOf('#') + 1) : undefined;
  const asked = link === undefined && question ? JSON.stringify(question) : undefined;

  useEffect(() => load(site), [site]);
  useEffect(() => {
    if (asked) element.current.question = JSON.parse(asked);
  }, [asked]);
  // React hears no event of an element that it found in the page.
  useEffect(() => {
    if (!heard) return undefined;
    const own = element.current;
    const hear = (event) => told.current[event.type]?.(event.detail);
    const kinds = ['answer', 'question'];
    kinds.forEach((kind) => own.addEventListener(kind, hear));
    return () => kinds.forEach((kind) => own.removeEventListener(kind, hear));
  }, [heard]);

  const attributes = Object.fromEntries(ATTRIBUTES.filter((name) => rest[name] != null).map((name) => [name, String(rest[name])]));
  if (rest.className) attributes.class = rest.className;
  if (link !== undefined) attributes.question = link;
  // Where the script comes after whoever waits for events.
  if (heard) attributes.listen = '';
  return createElement('shardwise-calculator', { ...attributes, id: rest.id, ref: element, suppressHydrationWarning: true }, children);
}

// Once for a page: the element finds its site by the script's address.
function load(site) {
  const src = new URL('embed.js', new URL(site.endsWith('/') ? site : `${site}/`, document.baseURI)).href;
  if (customElements.get('shardwise-calculator') || [...document.scripts].some((script) => script.src === src)) return;
  document.head.append(Object.assign(document.createElement('script'), { src, async: true }));
}
