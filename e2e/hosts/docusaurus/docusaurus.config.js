const { join } = require('node:path');

// The package as it is packed: its component is one file that is written as it travels (scripts/pack-npm).
const component = () => ({
  name: 'shardwise',
  configureWebpack: () => ({
    resolve: { alias: { 'shardwise/react': join(__dirname, '../../../app/npm/react.js') }, modules: [join(__dirname, 'node_modules'), 'node_modules'] },
  }),
});

// The least of a Docusaurus site: the docs plugin and the classic theme.
module.exports = {
  title: 'Host',
  url: 'http://127.0.0.1',
  baseUrl: '/',
  customFields: { shardwise: process.env.SHARDWISE },
  plugins: [component, ['@docusaurus/plugin-content-docs', { routeBasePath: '/', sidebarPath: false }]],
  themes: ['@docusaurus/theme-classic'],
  themeConfig: { navbar: { title: 'Host', items: [{ to: '/', label: 'Guide' }] } },
};
