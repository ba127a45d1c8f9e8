/**
 * Loads the program. In Node it is there already; in a browser, wait for this before the first question.
 *
 * @param source Where the program is, where it does not lie beside this module: an address, a response, bytes or a module.
 */
export default function init(
  source?: string | URL | Request | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module | Promise<Response>,
): Promise<void>;

/** Answers a question: whether it fits, how fast it is, what it costs, and where memory and time go. */
export function estimate(question: Question, options?: EstimateOptions): Answer | Refusal;

/** Searches the best plans of a question; the best offers, where the options name GPU types, numbers of GPUs or a limit. */
export function search(question: Question, options?: SearchOptions): Plans | Offers | Refusal;

/** Writes what to paste into a framework. */
export function flags(question: Question, options: FlagsOptions): Snippets | Unavailable | Refusal;

/** Reads the texts of one run (a script, a configuration and its command) back into a question. */
export function read(texts: string | readonly string[], options?: ReadOptions): ReadText | Unread | Refusal;

/** The rows of a table of the catalog, each with its source. */
export function catalog(table: 'gpus'): GpuRow[];
export function catalog(table: 'models'): ModelRow[];
export function catalog(table: 'nodes'): NodeRow[];
export function catalog(table: 'prices'): PriceRow[];
export function catalog(table: 'offers'): OfferRow[];

/** Which build this is: its version, its commit where it is known, the version of its data, and the dates of their newest figure and price. */
export const build: {
  readonly version: string;
  readonly commit: string | null;
  readonly data: string;
  readonly data_date: string;
  readonly prices_date: string;
};

/** The same with the question and the answer as JSON: the line that the command line writes. */
export const json: {
  readonly estimate: (question: string, options?: EstimateOptions) => string;
  readonly search: (question: string, options?: SearchOptions) => string;
  readonly flags: (question: string, options: FlagsOptions) => string;
  readonly read: (texts: string | readonly string[], options?: ReadOptions) => string;
};
