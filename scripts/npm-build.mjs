// Writes build.js of the npm package, which says which build it is, from what `shardwise --version` prints.
//
//   shardwise --version | node scripts/npm-build.mjs FOLDER

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit } from './identity.mjs';

const told = readFileSync(0, 'utf8');
const [, version, data, date, prices] = /^shardwise (\S+) \(data (\S+)\)\ncommit .+\nnewest figure (\S+), newest price (\S+)$/m.exec(told)
  ?? (() => { throw new Error(`the program says its version otherwise: ${told}`); })();
const build = { version, commit: commit(undefined, process.env.SHARDWISE_COMMIT ?? '') || null, data, data_date: date, prices_date: prices };
writeFileSync(join(process.argv[2], 'build.js'), `// Which build this is.\n\nexport const build = Object.freeze(${JSON.stringify(build)});\n`);
