// Writes the npm package's schema.json and index.d.ts from what `shardwise schema` prints, so that types are the Rust types.
//
//   shardwise schema | node scripts/npm-types.mjs FOLDER

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { known, merged, plainly, withoutNull } from './schema-types.mjs';

const [folder] = process.argv.slice(2);
const { types, asked } = merged(JSON.parse(readFileSync(0, 'utf8')));
const functions = readFileSync(new URL('../app/npm/functions.d.ts', import.meta.url), 'utf8');
const declared = [...types].map(([name, schema]) => declaration(name, schema));
writeFileSync(join(folder, 'index.d.ts'), `${functions}\n${declared.join('\n')}`);
const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: Object.fromEntries(types) };
writeFileSync(join(folder, 'schema.json'), `${JSON.stringify(schema)}\n`);

function declaration(name, schema) {
  const body = schema.properties
    ? `export interface ${name} ${object(schema, '', asked.has(name))}`
    : `export type ${name} = ${type(schema, '')};`.replace('= \n', '=\n');
  return `${comment(schema.description, '')}${body}\n`;
}

// A field that does not apply is absent from what is written; in what is asked, null says the same.
function object({ properties, required = [] }, indent, nullable) {
  const fields = Object.entries(properties).map(([key, field]) => {
    const optional = !required.includes(key);
    const own = optional && !nullable ? withoutNull(field) : field;
    return `${comment(field.description, `${indent}  `)}${indent}  ${key}${optional ? '?' : ''}: ${type(own, `${indent}  `)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

// A schema as TypeScript.
function type(schema, indent) {
  if (schema === true) return 'unknown';
  known(schema);
  if (schema.$ref) return schema.$ref.replace('#/$defs/', '');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const some = schema.anyOf ?? schema.oneOf;
  if (some) return union(some, indent);
  if (schema.properties) return object(schema, indent, true);
  const names = [schema.type].flat().map((name) => plain(name, schema, indent));
  return names.join(' | ');
}

function union(some, indent) {
  const types = some.map((one) => type(one, `${indent}  `));
  if (!some.some((one) => one.description)) return types.join(' | ');
  const lines = some.map((one, at) => `${comment(one.description, `${indent}  `)}${indent}  | ${types[at]}`);
  return `\n${lines.join('\n')}`;
}

function plain(name, { items, prefixItems, additionalProperties }, indent) {
  switch (name) {
    case undefined: return 'unknown';
    case 'integer': return 'number';
    case 'string': case 'number': case 'boolean': case 'null': return name;
    case 'array': {
      if (prefixItems) return `[${prefixItems.map((one) => type(one, indent)).join(', ')}]`;
      const inner = type(items ?? true, indent);
      return /[ |]/.test(inner) ? `(${inner})[]` : `${inner}[]`;
    }
    case 'object': return `{ [key: string]: ${type(additionalProperties ?? true, indent)} }`;
    default: throw new Error(`There is no type called ${name}.`);
  }
}

function comment(text, indent) {
  if (!text) return '';
  const lines = plainly(text).split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
