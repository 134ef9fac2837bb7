import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import type { Environment } from '../../../../../src/cli/terminal/environment.ts';
import { CliError } from '../../../../../src/cli/terminal/errors/cli-error.ts';
import { newFolder } from '../../../../support/runner/folder.ts';

/** A folder with files, and standard input. */
function surroundings(files: Readonly<Record<string, string>>, input = ''): Environment {
  const folder = newFolder('declarations-');
  for (const [name, text] of Object.entries(files)) {
    if (name.includes('/')) mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return {
    variables: { SHOP_PASSWORD: 'no: yes' },
    platform: 'linux',
    home: folder,
    folder,
    stdin: {
      async *[Symbol.asyncIterator]() {
        yield await Promise.resolve(input);
      },
    },
    stdout: { write: () => true },
    stderr: { write: () => true },
    now: () => new Date(0),
  };
}

async function bodies(text: string, files = {}) {
  const environment = surroundings({ 'a.yaml': text, ...files });
  return (await readDeclarations(['a.yaml'], environment)).map(({ body }) => body);
}

async function problems(text: string) {
  const thrown: unknown = await bodies(text).catch((error: unknown) => error);
  if (!(thrown instanceof CliError)) throw new Error('Nothing was refused');
  return thrown.facts;
}

const shop = { provider: 'postgres', resource: 'database', name: 'shop' };
const pending = { lifecycle_state: 'pending', config: {} };

it.each([
  ['the shape of the client', 'resource: postgres/database/shop', { ...shop, ...pending }],
  [
    'all of its fields',
    [
      'resource: postgres:database:shop',
      'config: {size: 1}',
      'dependencies: [postgres/role/seller]',
      'tags: [team-a]',
      'project: billing',
      'state: draft',
    ].join('\n'),
    {
      ...shop,
      config: { size: 1 },
      dependencies: [{ provider: 'postgres', resource: 'role', name: 'seller' }],
      tags: ['team-a'],
      project_id: 'billing',
      lifecycle_state: 'draft',
    },
  ],
  [
    'the body of the API',
    'provider: postgres\nresource: database\nname: shop\nlifecycle_state: draft',
    { ...shop, config: {}, lifecycle_state: 'draft' },
  ],
  [
    'a record, of which the state means that it is wanted',
    '{"id":"x","provider":"postgres","resource":"database","name":"shop","lifecycle_state":"failed","outputs":{},"tags":null,"config":{"a":1}}',
    { ...shop, config: { a: 1 }, lifecycle_state: 'pending', tags: null },
  ],
  [
    'a manifest of kubectl',
    'apiVersion: fairlead.dev/v1alpha1\nkind: Resource\nmetadata: {name: x}\nspec: {provider: postgres, resource: database, name: shop, project: p, lifecycle: Committed}',
    { ...shop, ...pending, project_id: 'p' },
  ],
  [
    'the options that a document names',
    'resource: postgres/database/shop\nprotected: true\nexpires_at: null\npaused: false\ndeletion_policy: orphan',
    {
      ...{ ...shop, ...pending, protected: true, expires_at: null },
      ...{ paused: false, deletion_policy: 'orphan' },
    },
  ],
  [
    'a time without quotes',
    'resource: postgres/database/shop\nexpires_at: 2026-02-01T08:00:00Z',
    { ...shop, ...pending, expires_at: '2026-02-01T08:00:00Z' },
  ],
  [
    'the options of a manifest',
    'apiVersion: fairlead.dev/v1\nkind: Resource\nspec: {provider: postgres, resource: database, name: shop, expiresAt: "2026-02-01T08:00:00Z", paused: true, deletionPolicy: Orphan, replace: 2}',
    {
      ...{ ...shop, ...pending, expires_at: '2026-02-01T08:00:00Z' },
      ...{ paused: true, deletion_policy: 'orphan' },
    },
  ],
])('reads %s', async (_, text, body) => {
  expect(await bodies(text)).toEqual([body]);
});

it('reads several documents, lists and Lists, and leaves out empty ones', async () => {
  const manifest =
    'apiVersion: fairlead.dev/v1\n    kind: Resource\n    spec: {provider: a, resource: b, name: e}';
  const text = `---\nresource: a/b/c\n---\n---\n- resource: a/b/d\n---\nkind: List\nitems:\n  - ${manifest}\n`;
  expect((await bodies(text)).map(({ name }) => name)).toEqual(['c', 'd', 'e']);
});

it('inserts files and variables as text', async () => {
  const text =
    'resource: a/b/c\nconfig:\n  note: !file note.txt\n  password: !env SHOP_PASSWORD\n  no: no';
  const [body] = await bodies(text, { 'note.txt': 'a: 1\n' });
  expect(body?.config).toEqual({ note: 'a: 1\n', password: 'no: yes', no: 'no' });
});

it('[C01] reads no file for a text that begins with @', async () => {
  const config = 'config: {data: {key: "@key.txt"}}';
  const shapes = ['provider: pragma\nresource: secret\nname: s', 'resource: pragma/secret/a'];
  const text = shapes.map((shape) => `${shape}\n${config}`).join('\n---\n');
  const read = await bodies(text, { 'key.txt': 'K' });
  const asText = { data: { key: '@key.txt' } };
  expect(read.map((body) => body.config)).toEqual([asText, asText]);
});

it.each([
  ['/etc/hostname', 'must be a path inside the folder'],
  ['../outside.txt', 'must be a path inside the folder'],
  ['sub/../../outside.txt', 'must be a path inside the folder'],
  ['sub/../key.txt', 'must be a path inside the folder'],
  ['link.txt', 'must be a path inside the folder'],
  ['sub/folder/outside.txt', 'must be a path inside the folder'],
  ['sub', 'is not a file'],
])('[C01] does not read %s', async (path, rule) => {
  const environment = surroundings({ 'in/key.txt': 'K', 'in/sub/x': '', 'outside.txt': 'SECRET' });
  const folder = join(environment.folder, 'in');
  symlinkSync('../outside.txt', join(folder, 'link.txt'));
  symlinkSync('../..', join(folder, 'sub/folder'));
  const text = `resource: a/b/c\nconfig: {list: [1, !file ${path}]}`;
  writeFileSync(join(folder, 'a.yaml'), text);
  const thrown: unknown = await readDeclarations(['in/a.yaml'], environment).catch(
    (error: unknown) => error,
  );
  const message = expect.stringMatching(new RegExp(`^${path} ${rule}`));
  expect((thrown as CliError).facts).toEqual([['in/a.yaml:2:26', 'config.list.1', message]]);
});

it('reads files through links that stay inside, as a mounted ConfigMap has them', async () => {
  const environment = surroundings({ '..2026/note.txt': 'N' });
  symlinkSync('..2026', join(environment.folder, '..data'));
  symlinkSync('..data/note.txt', join(environment.folder, 'note.txt'));
  writeFileSync(join(environment.folder, 'a.yaml'), 'resource: a/b/c\nconfig: {n: !file note.txt}');
  const [declaration] = await readDeclarations(['a.yaml'], environment);
  expect(declaration?.body.config).toEqual({ n: 'N' });
});

it('[C01] reads no file that standard input names, only variables', async () => {
  const environment = surroundings(
    { 'note.txt': 'N' },
    'resource: a/b/c\nconfig: {p: !env SHOP_PASSWORD, n: !file note.txt}',
  );
  await expect(readDeclarations(['-'], environment)).rejects.toMatchObject({
    facts: [['stdin:2:42', 'config.n', expect.stringMatching(/^!file is not read on standard/)]],
  });
});

it('reads the files of a folder without its settings and subfolders, and standard input', async () => {
  const environment = surroundings(
    {
      'r/b.yml': 'resource: a/b/b',
      'r/a.json': '{"resource":"a/b/a"}',
      'r/fairlead.yaml': 'project: x',
      'r/sub/c.yaml': 'resource: a/b/c',
      'r/readme.md': '-',
    },
    'resource: a/b/input',
  );
  const read = await readDeclarations(['r', '-'], environment);
  expect(read.map(({ ref, place }) => [ref, place])).toEqual([
    ['a/b/a', 'r/a.json:1:1'],
    ['a/b/b', 'r/b.yml:1:1'],
    ['a/b/input', 'stdin:1:1'],
  ]);
});

it('[F22] reports the first error of a file that is no YAML, and not what follows from it', async () => {
  const prose = 'Dear reader: this: is\n\tno YAML {at all [\n'.repeat(16);
  expect(await problems(prose)).toHaveLength(1);
  expect(await problems('a: [1\nb: 2\nc: ]]\n---\nresource: a/b/c\nconfg: {}')).toEqual([
    ['a.yaml:2:1', '', expect.stringMatching(/./)],
    ['a.yaml:6:1', 'confg', expect.stringMatching(/^unknown field/)],
  ]);
});

it.each<[string, string, readonly (readonly string[])[]]>([
  [
    'unknown fields, and suggests what was meant',
    'resource: a/b/c\nconfg: {}\nzzzzzz: 1',
    [
      ['a.yaml:2:1', 'confg', 'unknown field; did you mean config?'],
      ['a.yaml:3:1', 'zzzzzz', 'unknown field'],
    ],
  ],
  [
    'a copy that a viewer read',
    'resource: a/b/c\nconfig: {password: null}\nmasked: [/config/password]',
    [['a.yaml:3:1', 'masked', expect.stringMatching(/lacks the secrets at .config.password/)]],
  ],
  [
    'states and lists of the wrong kind',
    'resource: a/b/c\nstate: ready\ntags: [1]\ndependencies: [a/b]',
    [
      ['a.yaml:2:8', 'state', 'must be draft or pending'],
      ['a.yaml:3:7', 'tags', 'must be a list of texts'],
      ['a.yaml:4:16', 'dependencies.0', 'must be PROVIDER/TYPE/NAME'],
    ],
  ],
  [
    'missing variables',
    'resource: a/b/c\nconfig: {a: !env NOPE}',
    [['a.yaml:2:18', 'config.a', 'the environment variable NOPE is not set']],
  ],
  [
    'missing files',
    'resource: a/b/c\nconfig: {a: !file nope}',
    [['a.yaml:2:19', 'config.a', 'nope does not exist']],
  ],
  [
    'duplicate keys',
    'resource: a/b/c\nconfig: {a: 1, a: 2}',
    [['a.yaml:2:16', 'Map keys must be unique']],
  ],
  [
    'integers that would lose digits',
    'resource: a/b/c\nconfig: {a: 12345678901234567890}',
    [['a.yaml:2:13', 'config.a', 'is beyond 2^53 and would lose digits; quote it if it is text']],
  ],
  [
    'numbers that JSON lacks',
    'resource: a/b/c\nconfig: {a: .nan}',
    [['a.yaml:2:13', 'config.a', 'is no number of JSON']],
  ],
  ['unknown tags', 'resource: a/b/c\nconfig: {a: !x 1}', [['a.yaml:2:13', 'Unresolved tag: !x']]],
  [
    'documents that name no resource',
    'x: 1',
    [['a.yaml:1:1', 'names no resource; write resource: PROVIDER/TYPE/NAME']],
  ],
  [
    'names that are none',
    'resource: A/b/c',
    [['a.yaml:1:11', 'resource', 'must be PROVIDER/TYPE/NAME']],
  ],
  [
    'the same resource twice',
    'resource: a/b/c\n---\nresource: a:b:c',
    [['a.yaml:3:1', 'a/b/c', 'is also declared at a.yaml:1:1']],
  ],
  [
    'options that are none',
    'resource: a/b/c\nprotected: 1\nexpires_at: 5\npaused: null\ndeletion_policy: keep',
    [
      ['a.yaml:2:12', 'protected', 'must be true or false'],
      [
        'a.yaml:3:13',
        'expires_at',
        'must be a time such as 2026-02-01T08:00:00Z, or null for never',
      ],
      ['a.yaml:4:9', 'paused', 'must be true or false'],
      ['a.yaml:5:18', 'deletion_policy', 'must be delete or orphan'],
    ],
  ],
  [
    'an option of a manifest, where the manifest has it',
    'apiVersion: fairlead.dev/v1\nkind: Resource\nspec: {provider: a, resource: b, name: c, paused: yes}',
    [['a.yaml:3:51', 'spec.paused', 'must be true or false']],
  ],
])('refuses %s', async (_, text, facts) => {
  expect(await problems(text)).toEqual(facts);
});

it('refuses aliases that grow without bound', async () => {
  const lines = ['a: &a0 [x, x]'];
  for (let at = 1; at < 12; at += 1) lines.push(`b${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}]`);
  const text = `resource: a/b/c\nconfig:\n  ${lines.join('\n  ')}\n`;
  expect(JSON.stringify(await problems(text))).toContain('Excessive alias count');
});

it.each([
  [['config', 'size'], 'value', 'a.yaml:3:9'],
  [['config', 'size'], 'key', 'a.yaml:3:3'],
  [['config', 'list', 1], 'value', 'a.yaml:4:13'],
  [['config', 'missing'], 'value', 'a.yaml:2:1'],
  [['project_id'], 'value', 'a.yaml:5:10'],
  [['name'], 'value', 'a.yaml:1:11'],
] as const)('finds the place of %s (%s) of the body at %s', async (path, part, place) => {
  const text = 'resource: a/b/c\nconfig:\n  size: 1\n  list: [x, y]\nproject: p';
  const [declaration] = await readDeclarations(['a.yaml'], surroundings({ 'a.yaml': text }));
  expect(declaration?.placeOf(path, part)).toBe(place);
});
