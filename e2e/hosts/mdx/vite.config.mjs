// With the packages that are here anyway: Docusaurus's React and MDX, and the Vite of the JavaScript package's tests.

import { fileURLToPath } from 'node:url';
import { compile } from '../docusaurus/node_modules/@mdx-js/mdx/index.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const packages = at('../docusaurus/node_modules');

const mdx = {
  name: 'mdx',
  enforce: 'pre',
  async transform(text, id) {
    return id.endsWith('.mdx') ? { code: String(await compile(text)), map: null } : undefined;
  },
};

export default {
  root: at('.'),
  base: './',
  plugins: [mdx],
  define: { SHARDWISE: JSON.stringify(process.env.SHARDWISE) },
  resolve: { alias: { 'shardwise/react': at('../../../app/npm/react.js'), 'react-dom': `${packages}/react-dom`, react: `${packages}/react` } },
};
