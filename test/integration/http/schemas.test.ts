// Schemas of tenants over HTTP: what is refused is named, what is changed breaks nothing that is there, and tags are words.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: ApiCaller;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller('schemas');
});

afterAll(() => api?.close());

const register = (schema: unknown, resource = 'crate') =>
  admin.post('/resources/register', { provider: 'box', resource, schema });
const apply = (name: string, more: object = {}) =>
  admin.post('/resources/apply', { provider: 'box', resource: 'crate', name, ...more });

function violation(answer: Answer): { loc: readonly unknown[]; msg: string } {
  expect(answer.status, answer.text).toBe(422);
  const { detail } = answer.body as { detail: readonly { loc: []; msg: string }[] };
  return detail[0] ?? { loc: [], msg: '' };
}

describe('a rejected schema', () => {
  const inside = (schema: object) => ({ properties: { a: schema } });

  it.each<[string, object, readonly unknown[], string]>([
    ['[J01] $async', { $async: true }, ['$async'], "'$async'"],
    ['[J03] lookahead', inside({ pattern: '(?=a)' }), ['properties', 'a', 'pattern'], '(?=a)'],
    ['[J03] regex', inside({ format: 'regex' }), ['properties', 'a', 'format'], 'must be one of'],
    ['[J07] another host', { $ref: 'http://169.254.169.254/' }, ['$ref'], '#/$defs'],
    ['[J08] $id', { $id: 'https://example.com/a' }, ['$id'], "'$id'"],
    [
      'a mark in a list',
      inside({ items: { immutable: true } }),
      ['properties', 'a', 'items', 'immutable'],
      'Items of a list cannot be immutable: mark a itself',
    ],
    [
      'a mark of text',
      inside({ immutable: 'yes' }),
      ['properties', 'a', 'immutable'],
      "'immutable' must be true or false",
    ],
    ['[H07] __proto__', JSON.parse('{"properties":{"__proto__":{}}}'), [], ''],
  ])('is reported with the position and the cause: %s', async (_what, schema, loc, words) => {
    const text = JSON.stringify({ provider: 'box', resource: 'odd', schema });
    const found = violation(await admin.send('POST', '/resources/register', { body: text }));
    expect(found.loc.slice(0, 2)).toEqual(['body', 'schema']);
    expect(found.loc.slice(2, 2 + loc.length)).toEqual(loc);
    expect(found.msg).toContain(words);
    expect((await admin.get('/resources/types')).text).not.toContain('"odd"');
  });
});

it('[J10] stores a config as sent, without changes by the schema', async () => {
  const properties = { size: { type: 'integer', default: 3 }, text: { type: 'string' } };
  expect((await register({ properties, additionalProperties: false })).status).toBe(200);
  const config = { text: '3' };
  const applied = await apply('kept', { config, lifecycle_state: 'pending' });
  expect(applied).toMatchObject({ status: 200, body: { config: { text: '3' } } });
  expect((applied.body as { config: object }).config).toStrictEqual(config);
});

it('has the fields of a schema in the order in which it was registered', async () => {
  const address = { properties: { street: {}, city: {} } };
  const properties = { to: { type: 'string' }, address, language: { type: 'string' } };
  expect((await register({ properties }, 'letter')).status).toBe(200);
  const types = (await admin.get('/resources/types')).body as readonly {
    resource: string;
    schema: unknown;
  }[];
  const stored = types.find(({ resource }) => resource === 'letter')?.schema;
  expect(JSON.stringify(stored)).toBe(JSON.stringify({ properties }));
});

it('registers which fields cannot change', async () => {
  const zone = { type: ['string', 'null'], immutable: true };
  const schema = { properties: { place: { properties: { zone } }, size: { immutable: false } } };
  expect(await register(schema, 'placed')).toMatchObject({ status: 200, body: { schema } });
});

it('registers the limit of the handlers of a type, and removes it', async () => {
  const limited = async (timeout_seconds?: unknown) => {
    const type = { provider: 'box', resource: 'slow', timeout_seconds };
    return await admin.post('/resources/register', type);
  };
  expect(await limited(900)).toMatchObject({ status: 200, body: { timeout_seconds: 900 } });
  expect(await limited()).toMatchObject({ status: 200, body: { timeout_seconds: null } });
  for (const bad of [0, 3_601, 1.5, '30']) expect((await limited(bad)).status).toBe(422);
});

it('registers the pace of a type, and removes it', async () => {
  const type = { provider: 'box', resource: 'paced' };
  const pace = { concurrency: 4, operation_limit_seconds: 43_200 };
  const registered = await admin.post('/resources/register', { ...type, ...pace });
  expect(registered).toMatchObject({ status: 200, body: pace });
  expect((await admin.post('/resources/register', registered.body)).body).toEqual(registered.body);
  expect((await admin.post('/resources/register', type)).body).toMatchObject({
    concurrency: null,
    operation_limit_seconds: null,
  });
  const bad = [{ concurrency: 0 }, { concurrency: 1_001 }, { operation_limit_seconds: 59 }];
  for (const each of bad) {
    expect((await admin.post('/resources/register', { ...type, ...each })).status).toBe(422);
  }
});

it('registers what a deletion can cancel', async () => {
  const type = { provider: 'box', resource: 'frail' };
  const can = { cancellable: true, cancels_operations: true };
  const registered = await admin.post('/resources/register', { ...type, ...can });
  expect(registered).toMatchObject({ status: 200, body: can });
  expect((await admin.post('/resources/register', registered.body)).body).toEqual(registered.body);
  const cannot = { cancellable: false, cancels_operations: false };
  expect((await admin.post('/resources/register', type)).body).toMatchObject(cannot);
  const bad = await admin.post('/resources/register', { ...type, cancellable: 'yes' });
  expect(bad.status).toBe(422);
});

it('registers how objects of a type are observed, and removes it', async () => {
  const type = { provider: 'box', resource: 'seen' };
  const how = {
    observe_every: '10m',
    compare_defaults: true,
    listable: true,
    adopt_schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  };
  const registered = await admin.post('/resources/register', { ...type, observe: true, ...how });
  expect(registered).toMatchObject({ status: 200, body: { observable: true, ...how } });
  const listed = ((await admin.get('/resources/types')).body as { resource: string }[]).find(
    ({ resource }) => resource === 'seen',
  );
  expect(listed).toEqual(registered.body);
  expect((await admin.post('/resources/register', listed)).body).toEqual(registered.body);
  const disabled = await admin.post('/resources/register', { ...(listed ?? {}), observe: false });
  expect(disabled.body).toMatchObject({ observable: false });
  expect((await admin.post('/resources/register', type)).body).toMatchObject({
    observable: false,
    observe_every: null,
    compare_defaults: false,
    listable: false,
    adopt_schema: null,
  });
});

it.each<[string, object, readonly string[], string]>([
  ['an interval below a minute', { observe_every: '30s' }, ['observe_every'], 'from 1m to 7d'],
  ['an interval above a week', { observe_every: '8d' }, ['observe_every'], 'such as 10m'],
  [
    'a schema of adopt that cannot be used',
    { adopt_schema: { properties: { id: { pattern: '(?=a)' } } } },
    ['adopt_schema', 'properties', 'id', 'pattern'],
    '(?=a)',
  ],
  [
    'a mark in the schema of adopt',
    { adopt_schema: { properties: { id: { immutable: true } } } },
    ['adopt_schema', 'properties', 'id', 'immutable'],
    'leave the mark out',
  ],
])('refuses %s', async (_what, member, loc, words) => {
  const type = { provider: 'box', resource: 'unseen', observe: true, ...member };
  const found = violation(await admin.post('/resources/register', type));
  expect(found.loc).toEqual(['body', ...loc]);
  expect(found.msg).toContain(words);
});

it('registers the retries of a type, and removes them', async () => {
  const retried = (retry?: unknown) =>
    admin.post('/resources/register', { provider: 'box', resource: 'frail', retry });
  const retry = { attempts: 20, max_delay_seconds: 600 };
  expect(await retried(retry)).toMatchObject({ status: 200, body: { retry } });
  const [listed] = ((await admin.get('/resources/types')).body as { resource: string }[]).filter(
    ({ resource }) => resource === 'frail',
  );
  expect(listed).toMatchObject({ retry });
  expect((await admin.post('/resources/register', listed)).body).toEqual(listed);
  expect(await retried({ attempts: 1 })).toMatchObject({ body: { retry: { attempts: 1 } } });
  expect(await retried()).toMatchObject({ status: 200, body: { retry: null } });
  for (const bad of [{ attempts: 0 }, { attempts: 21 }, { max_delay_seconds: 601 }, 3]) {
    expect((await retried(bad)).status, JSON.stringify(bad)).toBe(422);
  }
  expect(violation(await retried({}))).toMatchObject({
    loc: ['body', 'retry'],
    msg: expect.stringContaining('Set attempts, max_delay_seconds, or both'),
  });
});

it('[J13] validates later applies with a new schema, and keeps existing resources', async () => {
  await register({ properties: { size: { type: 'integer' } } });
  const config = { size: 1 };
  expect((await apply('live', { config, lifecycle_state: 'pending' })).status).toBe(200);
  expect((await register({ properties: { size: { type: 'string' } } })).status).toBe(200);
  expect(await admin.get('/resources/box/crate/live')).toMatchObject({
    status: 200,
    body: { config },
  });
  const again = await apply('later', { config, lifecycle_state: 'pending' });
  expect(violation(again).loc).toEqual(['body', 'config', 'size']);
  expect((await admin.delete('/resources/unregister/box/crate')).status).toBe(204);
  expect((await admin.get('/resources/box/crate/live')).status).toBe(200);
  expect((await admin.delete('/resources/box/crate/live')).status).toBe(204);
});

describe('[A22] a registration that is checked before', () => {
  const type = { provider: 'box', resource: 'lid' };
  const sized = (...required: readonly string[]) => ({
    type: 'object',
    properties: { size: { type: 'integer' } },
    required,
  });
  const lid = (schema: object, query = '') =>
    admin.post(`/resources/register${query}`, { ...type, description: 'A lid', schema });
  const planOf = ({ status, headers }: Answer) => [status, headers['fairlead-plan']];
  const types = async () => (await admin.get('/resources/types')).text;

  it('shows the type and what it would break, and writes nothing', async () => {
    const before = await types();
    const created = await lid(sized(), '?dry_run=true');
    expect(planOf(created)).toEqual([200, 'create']);
    expect(created.body).toMatchObject({ ...type, schema: sized(), incompatible_count: 0 });
    expect(await types()).toBe(before);
    expect((await lid(sized(), '?strict=true')).status).toBe(200);
    await register({});
    for (const [name, lifecycle_state, config, resource] of [
      ['empty', 'pending', {}, 'lid'],
      ['fits', 'pending', { size: 1 }, 'lid'],
      ['draft', 'draft', {}, 'lid'],
      ['other', 'pending', {}, 'crate'],
    ] as const) {
      expect((await apply(name, { resource, lifecycle_state, config })).status).toBe(200);
    }
    const registered = await types();
    const shown = await lid(sized('size'), '?dry_run=true');
    expect(planOf(shown)).toEqual([200, 'update']);
    const misfits = {
      incompatible_count: 1,
      incompatible_resources: ['resource:box_lid_empty'],
    };
    expect(shown.body).toMatchObject({ schema: sized('size'), ...misfits });
    const sentBack = await admin.post('/resources/register?dry_run=true', shown.body);
    expect(sentBack.body).toMatchObject(misfits);
    expect(planOf(await lid(sized(), '?dry_run=true'))).toEqual([200, 'none']);
    const bad = violation(await lid({ properties: 3 }, '?dry_run=true'));
    expect(bad.loc).toEqual(['body', 'schema', 'properties']);
    expect(await types()).toBe(registered);
  });

  it('is refused in strict mode when it breaks resources', async () => {
    const before = await types();
    for (const query of ['?strict=true', '?strict=true&dry_run=true']) {
      expect(await lid(sized('size'), query)).toMatchObject({
        status: 409,
        body: {
          code: 'schemas_break',
          detail:
            '1 of 2 resources does not fit the schema of box/lid: box/lid/empty (size: Field required)',
        },
      });
    }
    expect(await types()).toBe(before);
    const registered = await lid(sized('size'));
    expect(registered.status).toBe(200);
    expect(registered.body).not.toHaveProperty('incompatible_count');
    // It is in force already: nothing is left to be refused.
    expect((await lid(sized('size'), '?strict=true')).status).toBe(200);
  });
});

it('[H07] rejects names of prototypes in configs, and keeps its own prototypes unchanged', async () => {
  const sent = (config: string) =>
    admin.send('POST', '/resources/apply', {
      body: `{"provider":"box","resource":"crate","name":"proto","config":${config}}`,
    });
  for (const config of ['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":{"admin":true}}]}']) {
    violation(await sent(config));
  }
  const { status, text } = await sent('{"constructor":{"prototype":{"admin":true}}}');
  expect([200, 422], text).toContain(status);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

it.each(['a,org!=x', 'x in (y)', '!a', 'a=b', 'x'.repeat(64), '日本', '-', 'a/b/c'])(
  '[H13] treats the tag %j as text that must match completely',
  async (tag) => {
    const name = `tagged-${Buffer.from(tag).toString('hex').slice(0, 40)}`;
    expect((await apply(name, { config: {}, tags: [tag, 'both'] })).status).toBe(200);
    const of = async (...tags: readonly string[]) => {
      const search = tags.map((each) => `tags=${encodeURIComponent(each)}`).join('&');
      const records = (await admin.get(`/resources/?${search}`)).body as readonly {
        name: string;
      }[];
      return records.map((each) => each.name);
    };
    expect(await of(tag)).toEqual([name]);
    expect(await of(tag, 'both')).toEqual([name]);
    expect(await of(tag, 'other')).toEqual([]);
    expect(await of(tag.slice(0, -1) || 'none')).toEqual([]);
  },
);
