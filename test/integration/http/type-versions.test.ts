// The versions of types over HTTP: what a registration accepts, which version an apply means, and which one stays.
import { beforeAll, describe, expect, it } from 'vitest';
import { apiOfFile } from '../../support/fixtures/api/api-of-file.ts';
import type { Answer, ApiCaller } from '../../support/servers/served-api.ts';

const api = apiOfFile();
let admin: ApiCaller;

beforeAll(async () => {
  admin = await api().caller('type-versions');
});

function violation(answer: Answer): { loc: readonly unknown[]; msg: string } {
  expect(answer.status, answer.text).toBe(422);
  const { detail } = answer.body as { detail: readonly { loc: []; msg: string }[] };
  return detail[0] ?? { loc: [], msg: '' };
}

describe('the versions of a type', () => {
  const type = { provider: 'box', resource: 'versioned' };
  const fields = (...names: readonly string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  });
  const fixed = { type: 'string', immutable: true };
  const marked = { properties: { a: fixed } };
  const versions = {
    type_version: 3,
    outputs_schema: fields('url', 'host'),
    earlier_versions: [
      { type_version: 1, schema: fields('a') },
      { type_version: 2, schema: fields('a'), outputs_schema: fields('a') },
    ],
  };

  it('are registered, listed in the order of their fields, and can be sent back', async () => {
    const registered = await admin.post('/resources/register', { ...type, ...versions });
    expect(registered).toMatchObject({ status: 200, body: versions });
    const again = await admin.post('/resources/register', registered.body);
    expect(again.body).toEqual(registered.body);
    const listed = (await admin.get('/resources/types')).body as { resource: string }[];
    const { outputs_schema } = listed.find(({ resource }) => resource === 'versioned') as {
      outputs_schema?: { properties: object };
    };
    expect(Object.keys(outputs_schema?.properties ?? {})).toEqual(['url', 'host']);
    const none = { type_version: 1, outputs_schema: null, earlier_versions: [] };
    expect((await admin.post('/resources/register', type)).body).toMatchObject(none);
  });

  it.each([
    ['outputs_schema', { outputs_schema: { type: 'nonsense' } }],
    [
      'earlier_versions.0.schema',
      { type_version: 2, earlier_versions: [{ type_version: 1, schema: { type: 'nonsense' } }] },
    ],
    [
      'earlier_versions.0.type_version',
      { type_version: 2, earlier_versions: [{ type_version: 2, schema: {} }] },
    ],
    ['type_version', { type_version: 0 }],
    ['outputs_schema.properties.a.immutable', { outputs_schema: marked }],
    [
      'earlier_versions.0.schema.properties.a.items.immutable',
      {
        type_version: 2,
        earlier_versions: [{ type_version: 1, schema: { properties: { a: { items: fixed } } } }],
      },
    ],
    [
      'earlier_versions.0.outputs_schema.properties.a.immutable',
      {
        type_version: 2,
        earlier_versions: [{ type_version: 1, schema: {}, outputs_schema: marked }],
      },
    ],
  ])('are refused at %s', async (where, wrong) => {
    const refused = await admin.post('/resources/register', { ...type, ...wrong });
    expect(refused.status).toBe(422);
    const [violation] = (refused.body as { detail: { loc: string[] }[] }).detail;
    expect(violation?.loc.join('.')).toContain(`body.${where}`);
  });
});

describe('[A4] an apply of a type with versions', () => {
  const type = { provider: 'box', resource: 'grown' };
  const only = (name: string) => ({
    properties: { [name]: { type: 'string' } },
    required: [name],
    additionalProperties: false,
  });
  const first = { type_version: 1, schema: only('a') };
  const second = { type_version: 2, schema: only('b') };
  const registered = async (newest: object, ...earlier: readonly object[]) => {
    const body = { ...type, ...newest, earlier_versions: earlier };
    expect((await admin.post('/resources/register', body)).status).toBe(200);
  };
  const committed = (name: string, config: object, more: object = {}, query = '') => {
    const body = { ...type, name, config, lifecycle_state: 'pending', ...more };
    return admin.post(`/resources/apply${query}`, body);
  };
  const plan = async (...given: Parameters<typeof committed>) => {
    const [name, config, more = {}] = given;
    const { headers, body } = await committed(name, config, more, '?dry_run=true');
    return [headers['fairlead-plan'], (body as { type_version: unknown }).type_version];
  };

  beforeAll(() => registered(second, first));

  it('has the newest version', async () => {
    const applied = await committed('new', { b: 'x' });
    expect(applied).toMatchObject({ status: 200, body: { type_version: 2 } });
    expect(applied.headers).not.toHaveProperty('warning');
  });

  it('may have an earlier one, with a warning', async () => {
    const warning = '299 - "Version 1 of type box/grown is an earlier one; the newest is 2"';
    const more = { type_version: 1 };
    for (const query of ['?dry_run=true', '']) {
      const applied = await committed('old', { a: 'x' }, more, query);
      expect(applied).toMatchObject({ status: 200, body: { type_version: 1 } });
      expect(applied.headers).toMatchObject({ warning });
    }
    expect(violation(await committed('older', { b: 'x' }, more)).loc).toContain('config');
  });

  const accepted =
    'The config is accepted as version 1 of type box/grown, and the newest is 2. Rewrite it with fairlead migrate -f FILE';

  it('may leave out the version of a file that is older, with a warning each time', async () => {
    for (const query of ['?dry_run=true', '', '', '?dry_run=true']) {
      const applied = await committed('file', { a: 'x' }, {}, query);
      expect(applied, applied.text).toMatchObject({ status: 200, body: { type_version: 1 } });
      expect(applied.headers).toMatchObject({ warning: `299 - "${accepted}"` });
    }
    expect(violation(await committed('unfit', { c: 'x' })).loc).toContain('config');
  });

  it.each([
    ['batch', 'POST', '/resources/batch', {}],
    ['set', 'PUT', '/sets/grown', { prune: 'keep' }],
  ])('may leave it out in a %s', async (what, method, path, more) => {
    const resource = (name: string, config: object) => ({
      ...{ ...type, name: `${name}-${what}`, config, lifecycle_state: 'pending' },
    });
    const resources = [resource('old', { a: 'x' }), resource('new', { b: 'x' })];
    for (const query of ['?dry_run=true', '', '']) {
      const answer = await admin.send(method, `${path}${query}`, { body: { resources, ...more } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({
        resources: [
          { warnings: [accepted], record: { type_version: 1 } },
          { warnings: [], record: { type_version: 2 } },
        ],
      });
    }
  });

  it('says which versions are accepted', async () => {
    expect(violation(await committed('unknown', { b: 'x' }, { type_version: 3 }))).toMatchObject({
      loc: ['body', 'type_version'],
      msg: 'Type box/grown does not accept version 3; it accepts 1, 2, the newest',
    });
  });

  it('stores the version of a draft, and checks it with its config', async () => {
    const draft = { lifecycle_state: 'draft', type_version: 1 };
    const stored = await committed('draft', { a: 'x' }, draft);
    expect(stored).toMatchObject({ status: 200, body: { type_version: 1 } });
    const commit = await committed('draft', { a: 'x' });
    expect(commit).toMatchObject({ status: 200, body: { type_version: 1 } });
  });

  it('keeps the version of a content that does not change, and changes it on request', async () => {
    await committed('kept', { b: 'x' }, { lifecycle_state: 'draft', type_version: 2 });
    await registered({ type_version: 3, schema: only('c') }, first, second);
    const draft = { lifecycle_state: 'draft' };
    expect(await plan('kept', { b: 'x' }, draft)).toEqual(['none', 2]);
    expect(await plan('kept', { b: 'x' }, { ...draft, type_version: 2 })).toEqual(['none', 2]);
    expect(await plan('kept', { b: 'x' }, { ...draft, type_version: 3 })).toEqual(['update', 3]);
    expect(await plan('new', { b: 'x' })).toEqual(['none', 2]);
    const other = await committed('new', { b: 'x' }, { type_version: 3 });
    expect(other).toMatchObject({ status: 409, body: { code: 'resource_busy' } });
  });
});
