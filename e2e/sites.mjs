// Where the tests find the built site: under a sub-path, as most static hosts serve it.

export const AT = '/a/b/';

/** A browser stores nothing of it: the service worker would fetch, check and put away every file beside each test. */
export const PORT = Number(process.env.E2E_PORT ?? 4173);

const STORED_PORT = PORT + 1;

/** As it is: for tests of what is stored. */
export const STORED = { port: STORED_PORT, url: `http://127.0.0.1:${STORED_PORT}${AT}` };
