// Four views in which every two of width, theme and language meet: a fault of one of them, or of two together, shows in one.
// matrix.spec.mjs has every state in all of them.

export const VIEWS = [
  [1440, 'light', 'en'],
  [1440, 'dark', 'zh'],
  [390, 'light', 'zh'],
  [390, 'dark', 'en'],
].map(([width, colorScheme, lang]) => ({
  width,
  colorScheme,
  lang,
  locale: { en: 'en-US', zh: 'zh-CN' }[lang],
  viewport: { width, height: width > 800 ? 900 : 844 },
  title: `${width} px, ${colorScheme}, ${lang}`,
}));
