// The least of a Docusaurus site: the docs plugin and the classic theme.
module.exports = {
  title: 'Host',
  url: 'http://127.0.0.1',
  baseUrl: '/',
  scripts: [{ src: `${process.env.SHARDWISE}embed.js`, async: true }],
  plugins: [['@docusaurus/plugin-content-docs', { routeBasePath: '/', sidebarPath: false }]],
  themes: ['@docusaurus/theme-classic'],
  themeConfig: { navbar: { title: 'Host', items: [{ to: '/', label: 'Guide' }] } },
};
