// Packs `shardwise serve` as a container image of nothing but the program: target/release-image/shardwise-VERSION.oci.tar, an archive
// of https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md. The same bytes from the same programs.
//
//   node scripts/pack-image.mjs amd64=PROGRAM [arm64=PROGRAM] [--to FOLDER]
//
// The programs are built for TARGET-unknown-linux-musl, so that they need no other file. To a registry it goes by
// `skopeo copy --all oci-archive:FILE:VERSION docker://…`, to a Docker without one by `docker-archive:` or `docker-daemon:`.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { tar } from './archive.mjs';
import { commit } from './identity.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPE = 'application/vnd.oci.image';
// Of each architecture, its number in a program's head: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html.
const MACHINES = { amd64: 62, arm64: 183 };
// A part of a program that names what loads it.
const INTERPRETER = 3;
// Nobody in particular: not root, and no user of the host.
const USER = '65532:65532';
// An image has a day; the same image is to have the same.
const CREATED = '1970-01-01T00:00:00Z';

const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');

export function packImage(programs, to = join(ROOT, 'target/release-image')) {
  const [, version] = /^version = "([^"]+)"/m.exec(readFileSync(join(ROOT, 'Cargo.toml'), 'utf8'));
  const blobs = new Map();
  const kept = (mediaType, bytes, more) => {
    const digest = `sha256:${sum(bytes)}`;
    blobs.set(`blobs/sha256/${digest.slice(7)}`, bytes);
    return { mediaType: `${TYPE}.${mediaType}`, digest, size: bytes.length, ...more };
  };
  const json = (value) => Buffer.from(JSON.stringify(value));
  const labels = {
    'org.opencontainers.image.title': 'Shardwise',
    'org.opencontainers.image.description': 'Memory, speed and cost of fine-tuning and RL-training language models: the page, from one program',
    'org.opencontainers.image.licenses': 'Apache-2.0 OR MIT',
    'org.opencontainers.image.version': version,
    ...(commit() && { 'org.opencontainers.image.revision': commit() }),
  };
  const licences = [
    ...['LICENSE-APACHE', 'LICENSE-MIT'].map((file) => ({ name: `licenses/${file}`, bytes: readFileSync(join(ROOT, file)) })),
    { name: 'licenses/THIRD-PARTY-LICENSES.txt', bytes: execFileSync(process.execPath, [join(ROOT, 'scripts/licenses.mjs'), 'program'], { maxBuffer: 1 << 28 }) },
  ];
  const manifests = Object.entries(programs).map(([architecture, path]) => {
    const program = readFileSync(path);
    checkProgram(program, path, architecture);
    const layer = tar([{ name: 'licenses/' }, ...licences, { name: 'shardwise', bytes: program, mode: 0o755 }]);
    const layers = [kept('layer.v1.tar+gzip', gzipSync(layer, { level: 9 }))];
    const config = kept('config.v1+json', json({
      created: CREATED, architecture, os: 'linux',
      config: {
        User: USER, ExposedPorts: { '8080/tcp': {} }, Entrypoint: ['/shardwise'], Cmd: ['serve', '--host', '0.0.0.0', '--port', '8080'],
        WorkingDir: '/', Labels: labels, StopSignal: 'SIGTERM',
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${sum(layer)}`] },
      history: [{ created: CREATED, created_by: 'scripts/pack-image.mjs' }],
    }));
    const manifest = json({ schemaVersion: 2, mediaType: `${TYPE}.manifest.v1+json`, config, layers, annotations: labels });
    return kept('manifest.v1+json', manifest, { platform: { architecture, os: 'linux' } });
  });
  const index = json({ schemaVersion: 2, mediaType: `${TYPE}.index.v1+json`, manifests, annotations: labels });
  const { digest, ...named } = kept('index.v1+json', index, { annotations: { 'org.opencontainers.image.ref.name': version } });
  const files = [
    { name: 'oci-layout', bytes: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', bytes: json({ schemaVersion: 2, manifests: [{ digest, ...named }] }) },
    { name: 'blobs/' }, { name: 'blobs/sha256/' },
    ...[...blobs].map(([name, bytes]) => ({ name, bytes })).sort((one, other) => (one.name < other.name ? -1 : 1)),
  ];
  mkdirSync(to, { recursive: true });
  const archive = join(to, `shardwise-${version}.oci.tar`);
  writeFileSync(archive, tar(files));
  return { archive, digest };
}

// An image of nothing else has no library that a program could load.
function checkProgram(program, path, architecture) {
  if (!(architecture in MACHINES)) throw new Error(`${architecture} is no architecture: ${Object.keys(MACHINES).join(', ')}`);
  if (program.toString('latin1', 0, 6) !== '\x7fELF\x02\x01' || program.readUInt16LE(18) !== MACHINES[architecture]) throw new Error(`${path} is no program for ${architecture}`);
  const [at, size, count] = [Number(program.readBigUInt64LE(32)), program.readUInt16LE(54), program.readUInt16LE(56)];
  const parts = Array.from({ length: count }, (_, part) => program.readUInt32LE(at + part * size));
  if (parts.includes(INTERPRETER)) throw new Error(`${path} loads libraries, which the image has none of: build it for a musl target`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
  if (positionals.length === 0 || positionals.some((word) => !/^\w+=./.test(word))) {
    console.error('usage: node scripts/pack-image.mjs amd64=PROGRAM [arm64=PROGRAM] [--to FOLDER]');
    process.exit(2);
  }
  const { archive, digest } = packImage(Object.fromEntries(positionals.map((word) => word.split(/=(.*)/, 2))), values.to && resolve(values.to));
  console.log(`${archive}: ${(statSync(archive).size / 1e6).toFixed(1)} MB, ${digest}`);
}
