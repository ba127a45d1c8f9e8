// Views in which each width, theme and language is seen; in the long run so many that every two of these meet, as a fault may be
// of two together. matrix.spec.mjs has every state in all of them.

const SHORT = [[1440, 'light', 'en'], [390, 'dark', 'zh']];
const LONG = [...SHORT, [1440, 'dark', 'zh'], [390, 'light', 'zh'], [390, 'dark', 'en']];

export const VIEWS = (process.env.LONG ? LONG : SHORT).map(([width, colorScheme, lang]) => ({
  width,
  colorScheme,
  lang,
  locale: { en: 'en-US', zh: 'zh-CN' }[lang],
  viewport: { width, height: width > 800 ? 900 : 844 },
  title: `${width} px, ${colorScheme}, ${lang}`,
}));
