// Starts what an image holds with nothing else in sight and as the user that it names, and asks it: what a container's host would do.
//
//   node scripts/try-image.mjs IMAGE.oci.tar FOLDER
//
// Takes root, or a kernel that lets everybody have a root of their own (unshare).

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [image, to] = process.argv.slice(2);
rmSync(to, { recursive: true, force: true });
const [layout, root] = ['layout', 'root'].map((name) => join(to, name));
for (const folder of [layout, root]) mkdirSync(folder, { recursive: true });
execFileSync('tar', ['-C', layout, '-xf', image]);
const blob = ({ digest }) => readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
const [named] = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests;
const own = JSON.parse(blob(named)).manifests.find(({ platform }) => platform.architecture === { x64: 'amd64', arm64: 'arm64' }[process.arch]);
if (!own) throw new Error(`the image has no program for ${process.arch}`);
const { config, layers } = JSON.parse(blob(own));
for (const layer of layers) execFileSync('tar', ['-C', root, '-xzp'], { input: blob(layer) });
const { User, Entrypoint, Cmd } = JSON.parse(blob(config)).config;

const inside = process.getuid() === 0 ? ['chroot', `--userspec=${User}`, root] : ['unshare', '--user', '--map-root-user', 'chroot', root];
const [command, ...before] = [...inside, ...Entrypoint];
const env = { PATH: process.env.PATH };

const version = execFileSync(command, [...before, '--version'], { encoding: 'utf8', env });
if (!/^shardwise \d/.test(version)) throw new Error(`--version says ${version}`);

// As it is started, but for the port, which may be another's here.
const child = spawn(command, [...before, ...Cmd.map((word) => (word === '8080' ? '0' : word))], { stdio: ['ignore', 'pipe', 'inherit'], env });
const [line] = await once(createInterface(child.stdout), 'line');
const [, address] = /(http:\S+)/.exec(line) ?? [];
if (!address) throw new Error(`serve says ${line}`);
const answer = await fetch(address);
const page = await answer.text();
if (answer.status !== 200 || !page.includes('<title>Shardwise')) throw new Error(`${address} answers ${answer.status}: ${page.slice(0, 200)}`);
const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
const user = /^Uid:\s+(\d+)/m.exec(status)[1];
if (process.getuid() === 0 && user !== User.split(':')[0]) throw new Error(`it runs as ${user}`);
const ended = once(child, 'exit');
child.kill('SIGTERM');
const [code] = await ended;
if (code !== 0) throw new Error(`at SIGTERM it ends with ${code}`);
console.log(`${line}\nran as ${user} without another file, and ended by SIGTERM`);
