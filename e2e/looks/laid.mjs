// The page lays out what is near what is seen (base.css). Whoever measures or takes a picture of all of it at once, as
// nobody who scrolls would, has all of it laid out first; the page does the same before it jumps.

export const layOut = (page) => page.evaluate(() => {
  document.documentElement.dataset.laid = '1';
});
