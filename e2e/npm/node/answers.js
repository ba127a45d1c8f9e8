// Asks all that cases.json holds, and writes a line for each.

import { readFileSync, writeFileSync } from 'node:fs';
import { json } from 'shardwise';

const [cases, lines] = process.argv.slice(2);
const asked = JSON.parse(readFileSync(cases, 'utf8'));
writeFileSync(lines, `${asked.map(({ call, input, options }) => json[call](input, options)).join('\n')}\n`);
