// Writes the Python package's types from what `shardwise schema` prints, so that they are the Rust types: the documents as
// TypedDicts, and what the dictionaries that the functions return hold by each key.
//
//   shardwise schema | node scripts/python-types.mjs           writes them
//   shardwise schema | node scripts/python-types.mjs --check   fails where they are not what would be written

import { readFileSync, writeFileSync } from 'node:fs';
import { known, merged, plainly, withoutNull } from './schema-types.mjs';

const FOLDER = new URL('../core/python/python/shardwise/', import.meta.url);
// Documents that are a class of their own (documents.py).
const CLASSES = ['Answer', 'Diagnosis', 'Offered', 'Offers', 'Plans', 'ReadText', 'Sensitivity', 'Snippets'];
const KEYWORDS = new Set(['and', 'as', 'from', 'global', 'if', 'import', 'in', 'is', 'lambda', 'not', 'or', 'pass', 'return', 'with', 'yield']);

const { types, asked } = merged(JSON.parse(readFileSync(0, 'utf8')));
const made = '# Written by scripts/python-types.mjs from what `shardwise schema` prints.';
const files = { 'types.py': typesFile(), 'documents.pyi': documentsFile() };
const wrong = Object.entries(files).filter(([file, text]) => {
  const path = new URL(file, FOLDER);
  if (!process.argv.includes('--check')) return writeFileSync(path, text);
  let own = '';
  try {
    own = readFileSync(path, 'utf8');
  } catch { /* There is none yet. */ }
  return own !== text;
});
for (const [file] of wrong) {
  console.error(`core/python/python/shardwise/${file} is not what the schema says. Run: scripts/pack-wheel --types`);
  process.exitCode = 1;
}

function typesFile() {
  const words = [...types].filter(([, schema]) => !schema.properties);
  const [plain, joined] = [true, false].map((own) => words.filter(([, schema]) => own === !JSON.stringify(schema).includes('$ref')));
  const objects = [...types].filter(([, schema]) => schema.properties);
  const inner = joined.flatMap(([name, { anyOf = [] }]) => anyOf.filter((one) => one.properties).map((one) => [`${name}Object`, one]));
  return `"""The documents as types: what a question may say, and what is answered."""

${made}

from __future__ import annotations

from typing import Any, Literal, TypedDict

${plain.map(([name, schema]) => alias(name, schema)).join('\n')}
${[...objects, ...inner].map(([name, schema]) => typedDict(name, schema)).join('\n\n')}

${joined.map(([name, schema]) => alias(name, schema)).join('\n')}`;
}

function alias(name, schema) {
  return `${name} = ${type(schema, '', name)}\n${doc(schema.description, '')}`;
}

// Required fields, others, and those that are words of Python: each a class, as Python 3.10 has it.
function typedDict(name, { description, properties, required = [] }) {
  const fields = Object.entries(properties).map(([key, field]) => {
    const optional = !required.includes(key);
    return { key, optional, description: field.description, type: type(optional && !asked.has(name) ? withoutNull(field) : field, '', name) };
  });
  const words = fields.filter(({ key }) => KEYWORDS.has(key));
  const rest = fields.filter(({ key }) => !KEYWORDS.has(key));
  const [needed, others] = [false, true].map((optional) => rest.filter((field) => field.optional === optional));
  if (words.some(({ optional }) => optional)) throw new Error(`${name}: an optional key that is a word of Python.`);
  const bases = [];
  const texts = [];
  if (words.length) {
    bases.push(`_${name}Words`);
    const own = words.map(({ key, type: kind }) => `${JSON.stringify(key)}: ${JSON.stringify(kind)}`);
    texts.push(`_${name}Words = TypedDict("_${name}Words", {${own.join(', ')}})\n`);
  }
  const body = (list) => list.map(({ key, type: kind, description: about }) => `    ${key}: ${kind}\n${doc(about, '    ')}`).join('');
  const head = (own, parents, total) => `class ${own}(${parents.join(', ') || 'TypedDict'}${total ? '' : ', total=False'}):\n`;
  if (needed.length && others.length) {
    texts.push(`${head(`_${name}Needs`, bases, true)}${body(needed)}`);
    bases.splice(0, bases.length, `_${name}Needs`);
  }
  const own = others.length ? others : needed;
  texts.push(`${head(name, bases, !others.length)}${doc(description, '    ')}\n${body(own)}`);
  return texts.join('\n\n');
}

function documentsFile() {
  const classes = CLASSES.map((name) => {
    const { properties, required = [], description } = types.get(name);
    const keys = Object.entries(properties).map(([key, field]) => {
      const kind = type(required.includes(key) ? field : withoutNull(field), 'types.', name);
      return `    @overload\n    def __getitem__(self, key: Literal["${key}"], /) -> ${kind}: ...\n`;
    });
    const extra = readFileSync(new URL('documents.py', FOLDER), 'utf8').includes(`class ${name}(_Table)`) ? '_Table' : '_Document';
    const more = name === 'Snippets' ? '    @property\n    def text(self) -> str: ...\n' : '';
    return `class ${name}(${extra}):\n${doc(description, '    ')}\n${keys.join('')}    @overload\n    def __getitem__(self, key: str, /) -> Any: ...\n${more}`;
  });
  return `${made}
# What each key holds; documents.py says the rest.

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, overload

import pandas

from . import types
from .errors import ShardwiseError

T = TypeVar("T")

def to_pandas(results: Mapping[str, Any] | Iterable[Mapping[str, Any] | ShardwiseError]) -> pandas.DataFrame: ...

class _Document(dict[str, Any]):
    def __init__(self, document: dict[str, Any], /) -> None: ...
    def _repr_html_(self) -> str: ...

class _Table(_Document):
    def to_pandas(self) -> pandas.DataFrame: ...

class Rows(list[T]):
    def to_pandas(self) -> pandas.DataFrame: ...
    def _repr_html_(self) -> str: ...

${classes.join('\n')}`;
}

// A schema as Python. `at` is where the types are that are no class of their own.
function type(schema, at, parent) {
  if (schema === true) return 'Any';
  known(schema);
  if (schema.$ref) {
    const name = schema.$ref.replace('#/$defs/', '');
    return at && CLASSES.includes(name) ? name : `${at}${name}`;
  }
  if ('const' in schema) return `Literal[${JSON.stringify(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map((one) => JSON.stringify(one)).join(', ')}]`;
  const some = schema.anyOf ?? schema.oneOf;
  if (some) return union(some.map((one) => type(one, at, parent)));
  if (schema.properties) return `${at}${parent}Object`;
  return union([schema.type].flat().map((name) => plain(name, schema, at, parent)));
}

// Words in one literal.
function union(all) {
  const words = all.filter((one) => one.startsWith('Literal['));
  const rest = all.filter((one) => !one.startsWith('Literal['));
  const own = words.length ? [`Literal[${words.map((one) => one.slice(8, -1)).join(', ')}]`] : [];
  return [...new Set([...own, ...rest])].sort((one, other) => (one === 'None') - (other === 'None')).join(' | ');
}

function plain(name, { items, prefixItems, additionalProperties }, at, parent) {
  switch (name) {
    case undefined: return 'Any';
    case 'string': return 'str';
    case 'integer': return 'int';
    case 'number': return 'float';
    case 'boolean': return 'bool';
    case 'null': return 'None';
    case 'array': return `list[${prefixItems ? union(prefixItems.map((one) => type(one, at, parent))) : type(items ?? true, at, parent)}]`;
    case 'object': return `dict[str, ${type(additionalProperties ?? true, at, parent)}]`;
    default: throw new Error(`There is no type called ${name}.`);
  }
}

function doc(text, indent) {
  if (!text) return '';
  const lines = plainly(text).replaceAll('\\', '\\\\').split('\n');
  return `${indent}"""${lines.map((line, at) => (at && line ? indent : '') + line).join('\n')}${lines.length > 1 ? `\n${indent}` : ''}"""\n`;
}
