// What the benches share: order statistics, a table in columns, and the tasks of a trace.

/** The value below which this share of some values is. */
export function at(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** Rows as text, in columns as wide as their widest cell. */
export function table(rows) {
  const cells = rows.map((row) => row.map(String));
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
  return cells.map(line).join('\n');
}

/** What Chromium traces for `tasks`. */
export const TRACED = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];

/** The longest task of the page's own thread in a trace, and all tasks by what they did, in milliseconds of the
 * processor's time: what others do on the machine is not in them. */
export function tasks(trace) {
  const events = JSON.parse(trace.toString()).traceEvents;
  // Chromium's own pages, as those it keeps ready, have renderers too.
  const frames = events.flatMap((one) => one.args?.data?.frames ?? (one.name === 'FrameCommittedInBrowser' ? [one.args.data] : []));
  const pages = new Set(frames.filter((one) => one.url?.startsWith('http')).map((one) => one.processId));
  const threads = events.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain' && pages.has(one.pid));
  const main = new Set(threads.map((one) => `${one.pid}/${one.tid}`));
  const own = events.filter((one) => main.has(`${one.pid}/${one.tid}`) && one.ph === 'X');
  const took = (one) => (one.tdur ?? one.dur) / 1000;
  // Both categories trace each task, by names of their own: it is counted once.
  const run = own.filter((one) => one.name === 'RunTask').map(took);
  const sum = (...names) => own.filter((one) => names.includes(one.name)).reduce((all, one) => all + took(one), 0);
  return {
    longest: Math.max(0, ...run),
    all: run.reduce((all, one) => all + one, 0),
    script: sum('FunctionCall', 'EvaluateScript'),
    style: sum('UpdateLayoutTree', 'RecalculateStyles'),
    layout: sum('Layout'),
    paint: sum('Paint', 'PrePaint', 'Layerize', 'Commit'),
  };
}
