import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { list } from 'tar';
import { afterEach, expect, it } from 'vitest';
import { writeArchive } from '../../../../../src/cli/providers/pack/archive.ts';
import { walkFolder } from '../../../../../src/cli/providers/pack/candidates.ts';
import { checkArchive, checkFiles } from '../../../../../src/cli/providers/pack/limits.ts';
import { packageRoot, providerNameOf } from '../../../../../src/cli/providers/pack/manifest.ts';
import {
  type SelectionOptions,
  selectFiles,
} from '../../../../../src/cli/providers/pack/selection.ts';
import { defaultArchiveLimits } from '../../../../../src/domain/providers/archive.ts';
import { clientEnvironment } from '../../../../support/clients/client.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Tree = Readonly<Record<string, string>>;

function treeOf(files: Tree, manifest: object = { name: 'crates' }): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-pack-'));
  folders.push(folder);
  for (const [path, text] of Object.entries({
    'package.json': JSON.stringify(manifest),
    ...files,
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function environmentAt(folder: string) {
  const variables = { PATH: process.env['PATH'] ?? '' };
  return clientEnvironment({ folder, home: folder, variables });
}

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
}

const standard: SelectionOptions = { usesGitignore: true, exclude: [], include: [] };

function selected(folder: string, options: Partial<SelectionOptions> = {}) {
  const selection = selectFiles(folder, { ...standard, ...options }, environmentAt(folder));
  return { ...selection, paths: selection.files.map(({ path }) => path) };
}

interface Case {
  readonly reason: string;
  readonly files: Tree;
  readonly manifest?: object;
  readonly options?: Partial<SelectionOptions>;
  readonly paths: readonly string[];
  readonly warns?: RegExp;
}

const key = '-----BEGIN PRIVATE KEY-----';
const cases: Record<string, Case> = {
  'obeys .gitignore at every level': {
    reason: 'The rules of a folder are those of git.',
    files: {
      '.gitignore': 'dist/\n*.log',
      'a/.gitignore': '!keep.log',
      'a/keep.log': '',
      'b.log': '',
      'dist/x': '',
      'x.ts': '',
    },
    paths: ['.gitignore', 'a/.gitignore', 'a/keep.log', 'package.json', 'x.ts'],
  },
  'leaves node_modules out without a word': {
    reason: 'The build installs them.',
    files: { 'node_modules/zod/index.js': '', 'x.ts': '' },
    paths: ['package.json', 'x.ts'],
  },
  'takes ignored files of a package that the provider depends on': {
    reason: 'A package of the repository goes with what its build made.',
    files: { '.gitignore': 'dist/', 'dist/x.js': '' },
    options: { usesGitignore: false },
    paths: ['.gitignore', 'dist/x.js', 'package.json'],
  },
  'obeys .fairleadignore and --exclude': {
    reason: 'Files that git has, but a build does not need.',
    files: { '.fairleadignore': 'docs/', 'docs/a.md': '', 'big.bin': '', 'x.ts': '' },
    options: { exclude: ['*.bin'] },
    paths: ['.fairleadignore', 'package.json', 'x.ts'],
  },
  'takes what "files" lists, and nothing else': {
    reason: 'As npm does; it may list what git ignores.',
    files: {
      '.gitignore': 'dist/',
      'dist/x.js': '',
      'dist/x.test.js': '',
      'src/x.ts': '',
      'package-lock.json': '{}',
      'main.js': '',
    },
    manifest: { files: ['dist', '!dist/*.test.js'], main: './main.js' },
    paths: ['dist/x.js', 'main.js', 'package-lock.json', 'package.json'],
  },
  'never uploads secrets': {
    reason: 'Whoever may read pushed code may use them.',
    files: {
      '.env': 'A=1',
      'a/.env.production': 'A=1',
      'tls.pem': key,
      '.npmrc': '//r/:_authToken=abc',
    },
    paths: ['package.json'],
    warns: /\.env may hold secrets.*--include \.env[\s\S]*tls\.pem holds a private key/,
  },
  'uploads what only looks like a secret': {
    reason: 'A certificate is public, and a variable in .npmrc has no value.',
    files: {
      'ca.pem': '-----BEGIN CERTIFICATE-----',
      '.npmrc': `//r/:_authToken=\${NPM_TOKEN}`,
      '.env.example': 'A=',
    },
    paths: ['.env.example', '.npmrc', 'ca.pem', 'package.json'],
  },
  'uploads a secret that is named': {
    reason: 'A private registry needs a token.',
    files: { '.npmrc': '//r/:_authToken=abc' },
    options: { include: ['.npmrc'] },
    paths: ['.npmrc', 'package.json'],
  },
  'uploads an ignored lock, and warns': {
    reason: 'Without it equal pushes can be different builds.',
    files: { '.gitignore': 'package-lock.json', 'package-lock.json': '{}' },
    paths: ['.gitignore', 'package-lock.json', 'package.json'],
    warns: /package-lock\.json is ignored by git/,
  },
};

it.each(Object.entries(cases))(
  '%s',
  (_name, { reason, files, manifest, options = {}, paths, warns }) => {
    const folder = treeOf(files, manifest);
    const byWalk = selected(folder, options);
    expect(byWalk.paths, reason).toEqual(paths);
    expect(byWalk.warnings.join('\n')).toMatch(warns ?? /^$/);
    git(folder, 'init', '-q');
    expect(selected(folder, options).paths, `${reason} (in a repository)`).toEqual(paths);
  },
);

it('walks as git check-ignore decides', () => {
  const folder = treeOf({
    '.gitignore':
      '# comment\n/build\n*.log\n!important.log\ndoc/*.txt\ntemp/\n**/gen/**\na/**/z\n\\#x\n',
    'lib/.gitignore': '*.js\n!keep.js\n/local\n',
    ...Object.fromEntries(
      [
        'build/a',
        'lib/build/a',
        'x.log',
        'important.log',
        'sub/x.log',
        'doc/a.txt',
        'doc/b/c.txt',
        'temp/a',
        'sub/temp/a',
        'sub/gen/a',
        'a/b/c/z',
        'a/z',
        '#x',
        'lib/a.js',
        'lib/keep.js',
        'lib/deep/keep.js',
        'lib/local',
        'lib/deep/local',
        'ünï/ß.ts',
      ].map((path) => [path, '']),
    ),
  });
  git(folder, 'init', '-q');
  const expected = git(folder, 'ls-files', '-co', '--exclude-standard', '-z').split('\0');
  expect(walkFolder(folder, '.gitignore').files.toSorted()).toEqual(
    expected.filter((path) => path !== '').sort(),
  );
});

it('takes a repository within the repository, and not what is deleted', () => {
  const folder = treeOf({
    'inner/a.ts': '',
    'inner/.gitignore': 'b',
    'inner/b': '',
    'gone.ts': '',
  });
  git(folder, 'init', '-q');
  git(join(folder, 'inner'), 'init', '-q');
  git(folder, 'add', 'gone.ts');
  rmSync(join(folder, 'gone.ts'));
  expect(selected(folder).paths).toEqual(['inner/.gitignore', 'inner/a.ts', 'package.json']);
});

it('uses .gitignore where the repository around ignores the folder itself', () => {
  const outer = treeOf({ '.gitignore': 'lab/', 'lab/package.json': '{}', 'lab/x.ts': '' });
  git(outer, 'init', '-q');
  expect(selected(join(outer, 'lab')).paths).toEqual(['package.json', 'x.ts']);
});

it('refuses links by name', () => {
  const folder = treeOf({});
  symlinkSync('package.json', join(folder, 'link.json'));
  expect(() => selected(folder)).toThrow(
    expect.objectContaining({ exit: 2, facts: [['link.json', 'a symbolic link']] }),
  );
  expect(selected(folder, { exclude: ['link.json'] }).paths).toEqual(['package.json']);
});

it('makes equal bytes of equal trees', async () => {
  const files = { 'a.ts': 'a', 'b/c.ts': 'c', '@d.ts': 'd', 'run.sh': '' };
  const digests: string[] = [];
  for (const umask of [0o644, 0o600]) {
    const folder = treeOf(files);
    chmodSync(join(folder, 'a.ts'), umask);
    chmodSync(join(folder, 'run.sh'), 0o711);
    utimesSync(join(folder, 'b/c.ts'), umask, umask);
    const archive = await writeArchive(selected(folder), new AbortController().signal);
    digests.push(createHash('sha256').update(readFileSync(archive.path)).digest('hex'));
    expect(archive.bytes).toBe(readFileSync(archive.path).length);
    await archive.remove();
  }
  expect(digests[0]).toBe(digests[1]);
});

it('packs hard links as files', async () => {
  const folder = treeOf({ 'a.ts': 'a' });
  linkSync(join(folder, 'a.ts'), join(folder, 'b.ts'));
  const archive = await writeArchive(selected(folder), new AbortController().signal);
  const entries: string[] = [];
  await list({
    file: archive.path,
    onReadEntry: ({ path, type }) => entries.push(`${type} ${path}`),
  });
  await archive.remove();
  expect(entries).toEqual(['File a.ts', 'File b.ts', 'File package.json']);
});

it.each([
  ['entries', { entries: 1 }, /at most 1 files/],
  ['unpackedBytes', { unpackedBytes: 5 }, /at most 5 B can be built/],
  ['depth', { depth: 1 }, /Some paths/],
])('checks the limit of %s before an upload', (_name, limits, message) => {
  const files = [
    { path: 'a.ts', size: 3 },
    { path: 'b/c.ts', size: 4 },
  ];
  expect(() => checkFiles(files, { ...defaultArchiveLimits, ...limits })).toThrow(message);
});

it('names the largest files of an archive that is too large', () => {
  const files = [
    { path: 'a.ts', size: 3 },
    { path: 'model.bin', size: 4_000 },
  ];
  expect(() => checkArchive(10, files, 5)).toThrow(
    expect.objectContaining({
      exit: 2,
      facts: [
        ['4 kB', 'model.bin'],
        ['3 B', 'a.ts'],
      ],
    }),
  );
});

it.each([
  ['the flag', 'given', {}, 'given'],
  ['fairlead.yaml', undefined, { 'fairlead.yaml': 'provider: crates' }, 'crates'],
  ['the code', undefined, { 'index.ts': "export default provider('boxes').types()" }, 'boxes'],
  ['package.json', undefined, {}, 'storage'],
])('takes the name of the provider from %s', async (_name, given, files: Tree, expected) => {
  const folder = treeOf(files, { name: '@acme/storage-provider' });
  expect(await providerNameOf(folder, given, environmentAt(folder))).toBe(expected);
});

it('finds the package above, but not of a folder that is named', () => {
  const folder = treeOf({ 'src/x.ts': '' });
  const environment = environmentAt(join(folder, 'src'));
  expect(packageRoot(undefined, environment)).toBe(folder);
  expect(() => packageRoot('.', environment)).toThrow(/has no package.json/);
});
