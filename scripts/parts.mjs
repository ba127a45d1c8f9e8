// Which files a part of the program is made of (scripts/build-site.mjs): its own, and what it shares with others.

/** The parts of a script that wasm_split_cli wrote, by name: `{ engine: ['engine_bg.wasm', 'shared-c_bg.wasm'] }`. */
export function partsOf(script) {
  const lines = script.split('\n');
  const file = (line) => line.match(/new URL\("\.\/(.*?)"/)[1];
  const chunk = (name) => file(lines.find((line) => line.startsWith(`const ${name} =`)));
  const parts = lines.flatMap((line) => {
    const [, name] = line.match(/^export const __wasm_split_load_(\w+) =/) ?? [];
    return name ? [[name, [file(line), ...[...line.matchAll(/__chunk_\d+/g)].map(([own]) => chunk(own))]]] : [];
  });
  return Object.fromEntries(parts);
}
