// When a page rests: no work is open, and what the last of it changed is laid out. No length of time says so.

/**
 * Waits until the page, or the frame, rests: the program says by `data-busy` that work is open (app/src/busy.rs), and a
 * smooth scroll takes a while.
 */
export const rested = (frame) => frame.evaluate(() => new Promise((done) => {
  // What a change of width sets off begins with a frame that is drawn. Out of sight none is, so there a timer must do.
  function next() {
    const drawn = requestAnimationFrame(look);
    const unseen = setTimeout(look, 500);
    function look() {
      cancelAnimationFrame(drawn);
      clearTimeout(unseen);
      count();
    }
  }
  let quiet = 0;
  let place;
  function count() {
    const before = place;
    place = `${scrollX} ${scrollY}`;
    quiet = document.documentElement.hasAttribute('data-busy') || place !== before ? 0 : quiet + 1;
    if (quiet > 2) done();
    else next();
  }
  next();
}));

/** Waits until what moves or fades on the page has come to its end. */
export const still = async (page) => {
  await rested(page);
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime < Infinity).map(({ finished }) => finished)));
};
