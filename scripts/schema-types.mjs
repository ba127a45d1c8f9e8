// What `shardwise schema` prints, read as types: for the packages that say them in a language of their own.

import { isDeepStrictEqual } from 'node:util';

// What a schema may say.
const KNOWN = new Set(['$ref', 'additionalProperties', 'anyOf', 'const', 'default', 'description', 'enum', 'format', 'items',
  'maxItems', 'minItems', 'minimum', 'oneOf', 'pattern', 'prefixItems', 'properties', 'required', 'type']);

/** Fails where a schema says what no type says. */
export function known(schema) {
  for (const key of Object.keys(schema)) if (!KNOWN.has(key)) throw new Error(`There is no type for ${key} in ${JSON.stringify(schema)}.`);
}

/** Every type once, by name, and the names of those that are asked. What is asked and written alike may leave out what it
 * may leave out when asked. */
export function merged(documents) {
  const found = new Map();
  const asked = new Set();
  const isAsked = (key) => ['question', 'table'].includes(key) || key.endsWith('_options');
  for (const key of Object.keys(documents).sort((one, other) => isAsked(other) - isAsked(one))) {
    const { $schema, $defs = {}, title, ...root } = documents[key];
    for (const [name, own] of [[title, root], ...Object.entries($defs)]) {
      const { title: _, ...type } = own;
      if (isAsked(key)) asked.add(name);
      if (!found.has(name)) found.set(name, type);
      else if (!asked.has(name) && !isDeepStrictEqual(found.get(name), type)) throw new Error(`Two types are called ${name}.`);
    }
  }
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  return { types: new Map(sorted), asked };
}

/** The schema of a field that is absent rather than null. */
export function withoutNull(schema) {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.filter((one) => one !== 'null') };
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.filter((one) => one.type !== 'null') };
  return schema;
}

/** A description without Rust's links to its own items, which say nothing elsewhere: what they are called stays. */
export const plainly = (text) => text.replace(/\[`(?:\w+::)*([^`\]]+)`\]/g, '`$1`');
