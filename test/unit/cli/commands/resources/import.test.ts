// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// `fairlead import`: the file that it prints, what it applies, and what it lists.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import {
  type ImportPreview,
  importFile,
} from '../../../../../src/cli/commands/resources/import.ts';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import { type Answering, driftOf, startAnswering } from '../../../../support/clients/answering.ts';
import { answeredBatch, wantedIn } from '../../../../support/clients/batches.ts';
import {
  type ClientOptions,
  clientEnvironment,
  newHome,
} from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let server: Answering | undefined;
afterEach(() => server?.stop());

const shop = { provider: 'postgres', resource: 'database', name: 'shop' };
const preview: ImportPreview = {
  ...shop,
  adopt: { id: 'x' },
  config: { size: 20, note: '${a/b/c.outputs.d}' },
  type_version: 2,
  outputs: { url: 'u' },
  missing: [
    { path: '/password', secret: true, required: true },
    { path: '/net/cidr', secret: false, required: false },
    { path: '/odd\n# injected: 1', secret: false, required: true },
  ],
};

/** @returns the bodies that a file declares */
async function bodiesOf(text: string) {
  const environment = clientEnvironment({ home: newHome() });
  writeFileSync(join(environment.folder, 'a.yaml'), text);
  return (await readDeclarations(['a.yaml'], environment)).map(({ body }) => body);
}

describe('the file', () => {
  it('declares what was read, and has comments for what was not', async () => {
    const text = await importFile(preview, 2);
    expect(text.split('\n').slice(2)).toEqual([
      'resource: postgres/database/shop',
      'adopt:',
      '  id: x',
      'config:',
      '  size: 20',
      '  note: $${a/b/c.outputs.d}',
      '  # Not read; declare what is required:',
      '  # password:  # required, secret',
      '  # /net/cidr: optional',
      '  # /odd # injected: 1: required',
      '',
    ]);
    const body = { ...shop, adopt: { id: 'x' }, lifecycle_state: 'pending' };
    expect(await bodiesOf(text)).toEqual([
      { ...body, config: { size: 20, note: '$${a/b/c.outputs.d}' } },
    ]);
  });

  it('takes a secret in place of its comment', async () => {
    const text = await importFile(preview, 2);
    const [body] = await bodiesOf(text.replace('# password:  #', 'password: hunter2  #'));
    expect(body?.config).toMatchObject({ size: 20, password: 'hunter2' });
  });

  it('names a version that is not the newest', async () => {
    expect(await importFile(preview, 3)).toContain('\ntype_version: 2\n');
    const nothing = { ...preview, config: {}, missing: [] };
    expect(await bodiesOf(await importFile(nothing, 2))).toMatchObject([{ config: {} }]);
  });
});

describe('a preview', () => {
  const type = { ...shop, type_version: 2 };

  it.each([
    ['--id x', { id: 'x' }],
    ['--adopt name=a=b --adopt region=eu', { name: 'a=b', region: 'eu' }],
    ['--adopt {"id":5,"in":{"zone":"a"}}', { id: 5, in: { zone: 'a' } }],
  ])('asks for %s', async (flags, adopt) => {
    server = await startAnswering(({ method }) => ({ body: method === 'GET' ? [type] : preview }));
    const { code, stdout } = await server.client(`import postgres/database/shop ${flags}`);
    expect(code).toBe(0);
    expect(server.asked[0]).toMatchObject({ path: '/resources/preview-import' });
    expect(server.asked[0]?.body).toEqual({ ...shop, adopt });
    expect(stdout).toBe(await importFile(preview, 2));
    const json = await server.client(`import postgres/database/shop ${flags} -o json`);
    expect(JSON.parse(json.stdout)).toEqual(preview);
  });

  it.each([
    ['postgres/database/shop', '--id ID'],
    ['postgres/database --id x', 'PROVIDER/TYPE/NAME'],
    ['postgres/database/shop --id x --adopt id=y', 'twice'],
    ['postgres/database/shop --adopt x', 'KEY=VALUE'],
    ['postgres/database/shop --adopt {"id"', 'JSON'],
    ['--list postgres', 'PROVIDER/TYPE'],
    ['--list postgres/database --id x', 'Pass one of'],
  ])('refuses %s', async (words, text) => {
    server = await startAnswering(() => undefined);
    const { code, stderr } = await server.client(`import ${words}`);
    expect([code, server.asked]).toEqual([2, []]);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(text);
  });

  it('says how to find an object that does not exist', async () => {
    const body = { detail: 'No object has the id x', code: 'object_not_found' };
    server = await startAnswering(() => ({ status: 404, body }));
    const { code, stderr } = await server.client('import postgres/database/shop --id x');
    expect(code).toBe(5);
    expect(stderr).toContain('fairlead import --list postgres/database');
  });
});

describe('a list', () => {
  const objects = [
    { adopt: { id: 'a' }, name: 'orders', config: null, managed_by: null },
    { adopt: { id: 'b', zone: 1 }, name: null, config: {}, managed_by: null },
    { adopt: { id: 'c' }, name: 'crm', config: null, managed_by: 'postgres/database/crm' },
  ];

  it.each([
    [
      '',
      ['OBJECT        NAME', 'id=a          orders', 'id=b, zone=1', ''],
      '2 objects of postgres/database are not managed by a resource. 1 other is (--all).  Import one: fairlead import postgres/database/orders --id a\n',
    ],
    [
      ' --all',
      [
        'OBJECT        NAME    MANAGED BY',
        'id=a          orders',
        'id=b, zone=1',
        'id=c          crm     postgres/database/crm',
        '',
      ],
      '2 objects of postgres/database are not managed by a resource.',
    ],
  ])('shows all pages%s', async (flags, lines, note) => {
    const here = '/resources/types/postgres/database/existing';
    server = await startAnswering(({ path }) => {
      if (path.includes('cursor=2')) return { body: objects.slice(1) };
      return { headers: { link: `<${here}?cursor=2>; rel="next"` }, body: objects.slice(0, 1) };
    });
    const { code, stdout, stderr } = await server.client(`import --list postgres/database${flags}`);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(lines);
    expect(stderr).toContain(note);
    expect(server.asked.map(({ path }) => path)).toEqual([here, `${here}?cursor=2`]);
  });

  it('[C10] proposes no name that no resource can have', async () => {
    const name = 'x$(touch${IFS}PWNED)';
    const object = { adopt: { id: 'a$(b)' }, name, config: null, managed_by: null };
    server = await startAnswering(() => ({ body: [object] }));
    const { stderr } = await server.client('import --list postgres/database');
    expect(stderr).toContain("fairlead import postgres/database/NAME --id 'a$(b)'");
    expect(stderr).not.toContain('touch');
  });
});

it.each<[JsonObject, string]>([
  [{ name: 'shop' }, 'NAME --adopt name=shop\n'],
  [{ id: "it's", region: 'eu' }, `NAME --id 'it'\\''s' --adopt region=eu\n`],
  [{ id: 'x', zone: 1 }, `NAME --adopt '{"id":"x","zone":1}'\n`],
])('a list says how %o is imported', async (adopt, flags) => {
  const body = [{ adopt, name: null, config: null, managed_by: null }];
  server = await startAnswering(() => ({ body }));
  const { stderr } = await server.client('import --list postgres/database');
  expect(stderr).toContain(`fairlead import postgres/database/${flags}`);
});

describe('files', () => {
  const file = (names: readonly string[], more = '') =>
    names
      .map((name) => `resource: postgres/database/${name}\nadopt: {id: ${name}}\n${more}`)
      .join('---\n');
  const run = (text: string, flags = '', options: ClientOptions = {}) => {
    const folder = newHome();
    writeFileSync(join(folder, 'a.yaml'), text);
    const words = `import -f a.yaml${flags}`;
    return server?.client(words, { folder, ...options }) ?? Promise.reject(new Error());
  };

  const results: Readonly<Record<string, Partial<ResourceRecord>>> = {
    same: { reason: 'Imported', drift: null },
    other: { reason: 'Drifted', drift: driftOf() },
    none: {
      ...{ lifecycle_state: 'failed', reason: 'ProviderFailed', drift: null },
      ...{ error: 'NOT_FOUND: no object', message: 'NOT_FOUND: no object' },
    },
    broken: {
      ...{ lifecycle_state: 'failed', reason: 'ProviderFailed', drift: null },
      ...{ error: 'no_access: no', message: 'no_access: no' },
    },
  };
  const serveResults = async () => {
    const settled = Object.entries(results).map(([name, more]) => resourceRecord(name, more));
    server = await startAnswering((asked) => {
      if (asked.method === 'GET') return { body: settled };
      const state = { lifecycle_state: 'pending', reason: 'Importing' } as const;
      return answeredBatch(asked, ({ name }) => ({
        ...{ change: 'import', record: resourceRecord(name, { ...state, drift: null }) },
      }));
    });
  };

  it('are applied as pending, and each result is told', async () => {
    await serveResults();
    const { code, stdout, stderr } = await run(file(Object.keys(results), 'state: draft\n'));
    expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/).slice(0, 2))).toEqual([
      ['RESOURCE', 'RESULT'],
      ['postgres/database/same', 'imported'],
      ['postgres/database/other', 'drifted'],
      ['postgres/database/none', 'not found'],
      ['postgres/database/broken', 'failed'],
      [''],
    ]);
    expect(stderr).toContain('What differs: fairlead get postgres/database/other');
    const sent = server?.asked.filter(({ path }) => path === '/resources/batch') ?? [];
    expect(sent.flatMap(wantedIn)).toEqual(
      Object.keys(results).map((name) => ({
        ...{ provider: 'postgres', resource: 'database', name },
        ...{ config: {}, lifecycle_state: 'pending', adopt: { id: name } },
      })),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('2 resources are not ready.');
  });

  it('are told on a terminal while they settle, and again only what is not as it was wanted', async () => {
    await serveResults();
    const { stdout, stderr } = await run(file(Object.keys(results)), '', { columns: 100 });
    const [title, ...rows] = stdout.trimEnd().split('\n');
    expect(title).toMatch(/^RESOURCE +RESULT +REASON/);
    const told = rows.map((row) => row.trim().split(/ {2,}/).slice(0, 2).join(' '));
    expect(told.filter((row) => row.startsWith('postgres/'))).toEqual([
      'postgres/database/other drifted',
      'postgres/database/none not found',
      'postgres/database/broken failed',
    ]);
    expect(stderr).toMatch(/postgres\/database\/same +imported +ready/);
  });

  it('without adopt are refused before anything is asked', async () => {
    server = await startAnswering(() => undefined);
    const text = `${file(['shop'])}---\nresource: postgres/database/crm\n`;
    const { code, stderr } = await run(text);
    expect([code, server.asked]).toEqual([2, []]);
    expect(stderr).toContain('a.yaml:4:1');
    expect(stderr).not.toContain('database/shop');
  });

  it('are only checked with --dry-run', async () => {
    server = await startAnswering((asked) => answeredBatch(asked, () => ({ change: 'import' })));
    const { code, stdout, stderr } = await run(file(['shop']), ' --dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/shop +import$/m);
    expect(stderr).toBe('Nothing was written: 1 to be imported.\n');
    expect(server.asked.map(({ path }) => path)).toEqual(['/resources/batch?dry_run=true']);
  });
});
