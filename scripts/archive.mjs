// Archives whose bytes depend on what is in them alone: neither on the day, nor on who packs them, nor on which tar is there.

const BLOCK = 512;

/**
 * A tar of files in their order, as https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 has it: each
 * `{ name, bytes, mode }`, or a folder where its name ends in `/`.
 */
export function tar(files) {
  const parts = files.flatMap(({ name, bytes = Buffer.alloc(0), mode = name.endsWith('/') ? 0o755 : 0o644 }) => [
    header(name, bytes.length, mode), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function header(name, size, mode) {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: a name of an archive has 100 bytes at most`);
  const block = Buffer.alloc(BLOCK);
  const octal = (number, at, digits) => block.write(`${number.toString(8).padStart(digits, '0')}\0`, at);
  block.write(name, 0);
  octal(mode, 100, 7);
  octal(0, 108, 7); // whose
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11); // when
  block.write(' '.repeat(8), 148);
  block.write(name.endsWith('/') ? '5' : '0', 156);
  block.write('ustar\x0000', 257);
  octal(block.reduce((sum, byte) => sum + byte, 0), 148, 6);
  block.write(' ', 155);
  return block;
}
