// What a release is made of: its notes, its archives, the image, the list of what is compiled in, the formula; each comes out the same
// again. What is built for a platform is e2e/tests/workflows.spec.mjs's, as its host would run it.

import { spawnSync, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tar } from '../../scripts/archive.mjs';
import { formula } from '../../scripts/formula.mjs';
import { COMMIT, commit } from '../../scripts/identity.mjs';
import { packImage } from '../../scripts/pack-image.mjs';
import { notes } from '../../scripts/release-notes.mjs';
import { sbom } from '../../scripts/sbom.mjs';
import { expect, test } from '../fixtures.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');

let folder;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shardwise-release-'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

test('a build names what it was told, its clone\'s commit, or none', () => {
  expect(commit(ROOT, '')).toBe('');
  expect(commit(ROOT, '0123abc')).toBe('0123abc');
  expect(() => commit(ROOT, 'HEAD')).toThrow('hexadecimal');
  const git = (...words) => execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-C', folder, ...words], { encoding: 'utf8' }).trim();
  git('init', '--quiet');
  expect(commit(folder, undefined)).toBe('');
  writeFileSync(join(folder, 'file'), '');
  git('add', 'file');
  git('commit', '--quiet', '--message', 'one');
  const own = git('rev-parse', '--short=12', 'HEAD');
  expect([commit(folder, undefined), COMMIT.test(own)]).toEqual([own, true]);
  writeFileSync(join(folder, 'file'), 'changed');
  expect(commit(folder, undefined)).toBe(`${own}-dirty`);
  // Unpacked in another clone, the sources are of no commit.
  mkdirSync(join(folder, 'unpacked'));
  expect(commit(join(folder, 'unpacked'), undefined)).toBe('');
});

test('a release has its day and its links, and says what changed', () => {
  const write = (name, text) => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('Cargo.toml', '[workspace.package]\nversion = "1.2.0"\n');
  write('CHANGELOG.md', '# Changes\n\nIntro.\n\n## 1.2.0, not released yet\n\n- New.\n\n## 1.1.0, 2026-01-02\n\n- Old.\n\n# Versions\n\nPolicy.\n');
  expect(() => notes('1.2.0', folder)).toThrow('tag v1.2.0');
  expect(() => notes('v1.2.0', folder)).toThrow('names no day');
  write('CHANGELOG.md', readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').replace('not released yet', '2026-12-01'));
  expect(() => notes('v1.2.0', folder)).toThrow('links/1.2.0.txt is not there');
  write('core/tests/data/links/1.2.0.txt', '');
  expect(notes('v1.2.0', folder)).toBe('- New.\n');
  // And the project's own version stands in its changes.
  const [, version] = /^version = "([^"]+)"/m.exec(readFileSync(join(ROOT, 'Cargo.toml'), 'utf8'));
  expect(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}, `);
});

test('an archive is read by tar, with the same bytes from the same files', () => {
  const files = [{ name: 'a/' }, { name: 'a/run', bytes: Buffer.from('#!/bin/sh\necho yes\n'), mode: 0o755 }, { name: 'a/empty' }, { name: 'a/block', bytes: Buffer.alloc(512, 'x') }];
  const archive = tar(files);
  expect(archive.equals(tar(files))).toBe(true);
  writeFileSync(join(folder, 'own.tar'), archive);
  execFileSync('tar', ['-C', folder, '-xf', join(folder, 'own.tar')]);
  expect(execFileSync(join(folder, 'a/run'), { encoding: 'utf8' })).toBe('yes\n');
  expect(readFileSync(join(folder, 'a/block'), 'utf8')).toBe('x'.repeat(512));
  expect(execFileSync('tar', ['-tvf', join(folder, 'own.tar'), '--numeric-owner', '--full-time'], { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } }).split('\n')[1])
    .toMatch(/^-rwxr-xr-x 0\/0 +19 1970-01-01 00:00:00 a\/run$/);
  expect(() => tar([{ name: 'x'.repeat(101) }])).toThrow('100 bytes');
});

// The head of a program for a machine, which has a part of each of these kinds: https://refspecs.linuxfoundation.org/elf/gabi4+/.
function program(machine, ...kinds) {
  const bytes = Buffer.alloc(64 + 56 * kinds.length);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  bytes.writeUInt16LE(machine, 18);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(kinds.length, 56);
  kinds.forEach((kind, at) => bytes.writeUInt32LE(kind, 64 + 56 * at));
  return bytes;
}

test('the image is the program and its licences in one layer, started by nobody in particular, for each machine', () => {
  const at = (name, bytes) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const programs = { amd64: at('x86', program(62, 1, 2)), arm64: at('arm', program(183, 1)) };
  const made = packImage(programs, folder);
  const bytes = readFileSync(made.archive);
  expect(packImage(programs, folder)).toEqual(made);
  expect(readFileSync(made.archive).equals(bytes)).toBe(true);
  const image = join(folder, 'image');
  mkdirSync(image);
  execFileSync('tar', ['-C', image, '-xf', made.archive]);
  const json = (file) => JSON.parse(readFileSync(join(image, file), 'utf8'));
  const blob = ({ digest, size }) => {
    const own = readFileSync(join(image, 'blobs', digest.replace(':', '/')));
    expect([`sha256:${sum(own)}`, own.length]).toEqual([digest, size]);
    return own;
  };
  expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
  const [named] = json('index.json').manifests;
  expect(named.digest).toBe(made.digest);
  const { manifests } = JSON.parse(blob(named));
  expect(manifests.map(({ platform }) => platform)).toEqual([{ architecture: 'amd64', os: 'linux' }, { architecture: 'arm64', os: 'linux' }]);
  for (const own of manifests) {
    const { config, layers } = JSON.parse(blob(own));
    expect(layers).toHaveLength(1);
    const { architecture, config: runs, rootfs } = JSON.parse(blob(config));
    expect(runs).toMatchObject({ User: '65532:65532', Entrypoint: ['/shardwise'], Cmd: ['serve', '--host', '0.0.0.0', '--port', '8080'], ExposedPorts: { '8080/tcp': {} } });
    const layer = execFileSync('gzip', ['-dc'], { input: blob(layers[0]), maxBuffer: 1 << 28 });
    expect(rootfs.diff_ids).toEqual([`sha256:${sum(layer)}`]);
    const root = join(folder, architecture);
    mkdirSync(root);
    execFileSync('tar', ['-C', root, '-x'], { input: layer });
    expect(execFileSync('find', ['.', '-type', 'f'], { cwd: root, encoding: 'utf8' }).trim().split('\n').sort())
      .toEqual(['./licenses/LICENSE-APACHE', './licenses/LICENSE-MIT', './licenses/THIRD-PARTY-LICENSES.txt', './shardwise']);
    expect(readFileSync(join(root, 'shardwise')).equals(readFileSync(programs[architecture]))).toBe(true);
  }
  // A program that loads libraries would not start in it, nor one for another machine.
  expect(() => packImage({ amd64: at('dynamic', program(62, 1, 3)) }, folder)).toThrow('musl');
  expect(() => packImage({ amd64: programs.arm64 }, folder)).toThrow('no program for amd64');
  expect(() => packImage({ amd64: at('script', Buffer.from('#!/bin/sh\n'.repeat(9))) }, folder)).toThrow('no program for amd64');
  expect(() => packImage({ s390x: programs.amd64 }, folder)).toThrow('no architecture');
});

test('Debian\'s skopeo takes the image, digests and all', () => {
  writeFileSync(join(folder, 'x86'), program(62, 1));
  const { archive, digest } = packImage({ amd64: join(folder, 'x86') }, folder);
  const [, version] = /\/shardwise-([^/]+)\.oci\.tar$/.exec(archive);
  const skopeo = (...words) => execFileSync('skopeo', words, { encoding: 'utf8' });
  expect(JSON.parse(skopeo('inspect', `oci-archive:${archive}:${version}`))).toMatchObject({ Digest: digest, Architecture: 'amd64', Os: 'linux' });
  skopeo('copy', '--quiet', '--all', '--preserve-digests', `oci-archive:${archive}:${version}`, `dir:${join(folder, 'copy')}`);
  expect(sum(readFileSync(join(folder, 'copy/manifest.json')))).toBe(digest.slice(7));
});

for (const product of ['site', 'package', 'program', 'wheel']) {
  test(`the list of what the ${product} is made of names what its licences name, with digests`, () => {
    const list = sbom(product);
    expect(list).toEqual(sbom(product));
    const named = list.components.map(({ name, version }) => `${name} ${version}`);
    const foreign = list.components.filter(({ hashes }) => hashes).map(({ name, version }) => `${name} ${version}`);
    const licences = execFileSync('node', ['scripts/licenses.mjs', product], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
    expect(foreign.sort()).toEqual([...licences.matchAll(/^([\w-]+ \d\S*) \(.+\)$/gm)].map(([, one]) => one).sort());
    expect(named.filter((one) => !foreign.includes(one)).every((one) => one.startsWith('shardwise-'))).toBe(true);
    // Whatever is referred to is there, and all of it is reached.
    const known = new Map(list.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    expect([...known.keys()].slice(1)).toEqual(list.components.map((one) => one['bom-ref']));
    const reached = new Set();
    const follow = (ref) => {
      if (reached.has(ref)) return;
      reached.add(ref);
      known.get(ref).forEach(follow);
    };
    follow(list.metadata.component['bom-ref']);
    expect(reached.size).toBe(known.size);
  });
}

test('the formula has the archives of a release by their checksums, and Ruby reads it', () => {
  const targets = ['aarch64-apple-darwin', 'x86_64-apple-darwin', 'aarch64-unknown-linux-musl', 'x86_64-unknown-linux-musl'];
  const lines = targets.map((target, at) => `${String(at).repeat(64)}  shardwise-1.2.0-${target}.tar.gz`);
  const sums = [...lines, `${'f'.repeat(64)}  shardwise-site-1.2.0.tar.gz`, `${'e'.repeat(64)}  shardwise-1.2.0.tgz`].join('\n');
  const text = formula(sums, 'https://host.example/shardwise', 'https://host.example/shardwise/v1.2.0');
  targets.forEach((target, at) => expect(text).toContain(`url "https://host.example/shardwise/v1.2.0/shardwise-1.2.0-${target}.tar.gz"\n      sha256 "${String(at).repeat(64)}"`));
  expect(text).not.toContain('@');
  expect(() => formula(lines.slice(1).join('\n'), 'https://host.example', 'https://host.example')).toThrow('aarch64-apple-darwin');
  expect(() => formula('nothing', 'https://host.example', 'https://host.example')).toThrow('no line');
  expect(() => formula(sums, 'http://host.example', 'https://host.example')).toThrow('https');
  // Where there is a Ruby; else as far as words tell: every block ends.
  const read = spawnSync('ruby', ['-c'], { input: text, encoding: 'utf8' });
  if (!read.error) expect(read.stdout).toBe('Syntax OK\n');
  const blocks = text.match(/^ *(class|def|test do|service do|on_\w+ do)\b/gm).length;
  expect(text.match(/^ *end$/gm)).toHaveLength(blocks);
});
