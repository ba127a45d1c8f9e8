// Names for a program's functions by which wasm-opt puts them in order (finish-site.mjs).

const CUSTOM = 0;
const IMPORT = 2;
const CODE = 10;
// Kinds of imports: all but a function have another form.
const FUNCTION = 0;

/** A program whose functions are named after their size, in powers of two, and how they begin. */
export function namedInOrder(wasm) {
  const sections = [...sectionsOf(wasm)].filter(({ id, at }) => id !== CUSTOM || nameAt(wasm, at).text !== 'name');
  const of = (id) => sections.find((section) => section.id === id);
  const first = of(IMPORT) ? importedFunctions(wasm, of(IMPORT).at) : 0;
  const functions = of(CODE) ? bodiesOf(wasm, of(CODE).at) : [];
  const sizes = functions.map((body) => 32 - Math.clz32(body.length));
  const order = functions.map((_, place) => place).sort((a, b) => sizes[a] - sizes[b] || Buffer.compare(functions[a], functions[b]) || a - b);
  const rank = new Map(order.map((place, own) => [place, own]));
  const imports = Array.from({ length: first }, (_, place) => named(place, `${place}`.padStart(6, '!')));
  const own = functions.map((_, place) => named(first + place, `${rank.get(place)}`.padStart(6, '0')));
  const list = Buffer.concat([leb(first + functions.length), ...imports, ...own]);
  const inside = Buffer.concat([text('name'), Buffer.from([1]), leb(list.length), list]);
  const kept = sections.map(({ begin, end }) => wasm.subarray(begin, end));
  return Buffer.concat([wasm.subarray(0, 8), ...kept, Buffer.from([CUSTOM]), leb(inside.length), inside]);
}

// After the magic number and the version.
function* sectionsOf(wasm) {
  for (let begin = 8; begin < wasm.length;) {
    const { value: size, next: at } = number(wasm, begin + 1);
    yield { id: wasm[begin], begin, at, end: at + size };
    begin = at + size;
  }
}

function number(wasm, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = wasm[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at };
  }
}

const leb = (value) => Buffer.from(value < 128 ? [value] : [(value & 127) | 128, ...leb(Math.floor(value / 128))]);
const text = (own) => Buffer.concat([leb(own.length), Buffer.from(own)]);
const named = (place, name) => Buffer.concat([leb(place), text(name)]);

function nameAt(wasm, at) {
  const { value: length, next } = number(wasm, at);
  return { text: wasm.toString('utf8', next, next + length), next: next + length };
}

function importedFunctions(wasm, start) {
  let { value: left, next: at } = number(wasm, start);
  let functions = 0;
  for (; left > 0; left -= 1) {
    at = nameAt(wasm, nameAt(wasm, at).next).next;
    const kind = wasm[at++];
    if (kind === FUNCTION) {
      at = number(wasm, at).next;
      functions += 1;
      continue;
    }
    // A table and a global begin with a type, a tag with its kind; tables and memories have limits.
    if (kind === 1 || kind === 3 || kind === 4) at += 1;
    if (kind === 3) at += 1;
    if (kind === 4) at = number(wasm, at).next;
    if (kind === 1 || kind === 2) {
      const most = wasm[at++] & 1;
      for (let part = 0; part <= most; part += 1) at = number(wasm, at).next;
    }
  }
  return functions;
}

function bodiesOf(wasm, start) {
  let { value: count, next: at } = number(wasm, start);
  return Array.from({ length: count }, () => {
    const { value: size, next } = number(wasm, at);
    at = next + size;
    return wasm.subarray(next, at);
  });
}
