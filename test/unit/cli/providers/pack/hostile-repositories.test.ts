import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';
import { newHome, runClient } from '../../../../support/clients/client.ts';

let server: Answering;

beforeAll(async () => {
  const version = '20260131.120000';
  const body = { version, job_name: `crates-${version}`, status: 'pending', message: '' };
  server = await startAnswering(() => ({ body }));
});

afterAll(() => server.stop());

function git(folder: string, ...words: readonly string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
  return execFileSync('git', [...identity, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Every setting with which a repository can name a command that `git ls-files` may run. */
function settings(marker: string): string {
  const command = `"touch ${marker}; false"`;
  return [
    '[core]',
    '\trepositoryformatversion = 1',
    '\tbare = false',
    '\tworktree = .',
    `\tfsmonitor = ${command}`,
    `\tsshCommand = ${command}`,
    `\tpager = ${command}`,
    `\thooksPath = hooks`,
    '[extensions]',
    '\tpartialClone = origin',
    '[remote "origin"]',
    '\turl = ext::sh -c "touch% MARKER"'.replace('MARKER', marker),
    '\tpromisor = true',
    '[protocol]',
    '\tallow = always',
    '[filter "x"]',
    `\tclean = ${command}`,
    '',
  ].join('\n');
}

function hostile(repository: string, marker: string, config: string): void {
  mkdirSync(join(repository, 'hooks'), { recursive: true });
  const hook = `#!/bin/sh\ntouch ${marker}\n`;
  for (const name of ['post-index-change', 'fsmonitor-watchman'])
    writeFileSync(join(repository, 'hooks', name), hook, { mode: 0o755 });
  writeFileSync(join(repository, 'config'), config);
}

type Make = (folder: string, marker: string) => void;

const repositories: readonly (readonly [string, Make])[] = [
  [
    'a folder that looks like a bare repository, which git clone brings',
    (folder, marker) => {
      const origin = `${folder}-origin`;
      git(folder, 'init', '-q', '--bare', origin);
      for (const name of ['objects', 'refs']) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'keep'), '');
      }
      writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
      hostile(folder, marker, settings(marker));
    },
  ],
  [
    'a repository in it, of an archive',
    (folder, marker) => {
      const inner = join(folder, 'inner');
      mkdirSync(inner);
      writeFileSync(join(inner, 'a.ts'), '');
      git(folder, 'init', '-q');
      git(inner, 'init', '-q');
      git(inner, 'add', '.');
      hostile(join(inner, '.git'), marker, settings(marker).replace('\tworktree = .\n', ''));
    },
  ],
  [
    'its own repository, of an archive',
    (folder, marker) => {
      git(folder, 'init', '-q');
      git(folder, 'add', '.');
      hostile(join(folder, '.git'), marker, settings(marker).replace('\tworktree = .\n', ''));
    },
  ],
  [
    'a sparse index whose objects are to be fetched with a command',
    (folder, marker) => {
      mkdirSync(join(folder, 'sparse/deep'), { recursive: true });
      writeFileSync(join(folder, 'sparse/deep/a.ts'), '');
      git(folder, 'init', '-q');
      git(folder, 'add', '.');
      git(folder, 'commit', '-qm', 'a');
      git(folder, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
      const tree = git(folder, 'rev-parse', 'HEAD:sparse').trim();
      const object = join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2));
      execFileSync('rm', ['-f', object]);
      // Without the others, which would run first.
      const config = settings(marker).replace(/\t(?:worktree|fsmonitor|hooksPath) = .*\n/g, '');
      const sparse =
        '[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n[index]\n\tsparse = true\n';
      hostile(join(folder, '.git'), marker, `${config}${sparse}`);
    },
  ],
];

async function newRepository(make: Make) {
  const home = newHome();
  const folder = join(home, 'crates');
  await runClient(['init', 'crates'], { home });
  const marker = join(home, 'marker');
  make(folder, marker);
  return { home, folder, marker };
}

it.each(repositories)('[C02] runs no command of %s', async (_, make) => {
  const { home, folder, marker } = await newRepository(make);
  const variables = {
    FAIRLEAD_TOKEN: 'secret',
    FAIRLEAD_URL: server.url,
    PATH: process.env['PATH'] ?? '',
  };
  for (const words of ['push --list', 'push --dry-run', 'push --no-deploy --no-wait']) {
    const result = await runClient(words.split(' '), { home, folder, variables });
    expect(result, words).toMatchObject({ code: 0 });
    expect(existsSync(marker), words).toBe(false);
  }
  expect(readdirSync(home)).not.toContain('marker');
});

it.each(repositories)('is a test: plain git runs a command of %s', async (_, make) => {
  const { folder, marker } = await newRepository(make);
  for (const cwd of [folder, join(folder, 'inner')].filter(existsSync)) {
    try {
      git(cwd, 'ls-files', '-co', '--exclude-standard', '-z');
    } catch {
      // The command ran all the same.
    }
  }
  expect(existsSync(marker)).toBe(true);
});
