// What Mintlify and its like do: pages in MDX, with the site's components in every one of them.

import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import Shardwise from 'shardwise/react';
import Page from './page.mdx';

createRoot(document.getElementById('page')).render(createElement(Page, { components: { Shardwise } }));
