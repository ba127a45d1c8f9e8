// Writes public/schema.json, the site's schema of every document, from what `shardwise schema` prints: a type a line, each once.
//
//   shardwise schema | node scripts/site-schema.mjs
//   shardwise schema | node scripts/site-schema.mjs --check    fails where it is not what would be written

import { readFileSync, writeFileSync } from 'node:fs';
import { merged } from './schema-types.mjs';

const FILE = new URL('../public/schema.json', import.meta.url);
const { types } = merged(JSON.parse(readFileSync(0, 'utf8')));
const rows = [...types].map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
// An editor that is told to check a file by all of it checks a question.
const text = `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Shardwise","$ref":"#/$defs/Question","$defs":{\n${rows.join(',\n')}\n}}\n`;
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('public/schema.json is not what the documents are: scripts/pack-wheel --types');
  process.exitCode = 1;
}
