// Every answer to hostile input is a documented one: never a 5xx, always with a reason, and the service keeps running.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../support/servers/served-api.ts';

let api: ServedApi;
let admin: ApiCaller;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller('hostile');
  await admin.post('/resources/register', { provider: 'box', resource: 'crate' });
});

afterAll(() => api?.close());

const crate = { provider: 'box', resource: 'crate', name: 'a', config: {} };

function expectHonest({ status, body, text }: Answer): void {
  expect(status, text).toBeLessThan(500);
  if (status === 204) return;
  expect(text).not.toMatch(/\/src\/|node_modules|\bat .*:\d+:\d+|apiserver|etcd/);
  if (status < 400) return;
  const { detail } = body as { detail: unknown };
  if (status === 422) expect(detail).toEqual(expect.arrayContaining([expect.anything()]));
  else expect(detail).toEqual(expect.any(String));
}

describe('values at the limits', () => {
  const wide = '😀'.repeat(128);
  const dependency = { provider: 'p'.repeat(40), resource: 't'.repeat(63) };

  it.each<[string, object]>([
    ['tags', { tags: Array.from({ length: 64 }, (_, n) => `${n}${'x'.repeat(250)}`) }],
    ['tags of wide characters', { tags: [wide, '日'.repeat(256)] }],
    ['tags of odd characters', { tags: ['\u0000', '\n', '"', '\u2028', '<&>', ' '] }],
    [
      'dependencies',
      {
        dependencies: Array.from({ length: 64 }, (_, n) => ({
          ...dependency,
          name: `${n}${'n'.repeat(190)}`,
        })),
      },
    ],
    ['a config', { config: JSON.parse(`${'{"a":'.repeat(61)}1${'}'.repeat(61)}`) as object }],
    ['a config of many keys', { config: Object.fromEntries(many(9_000)) }],
    ['a config that looks like an object of Kubernetes', { config: kubernetesLike }],
    ['names', { provider: 'p'.repeat(40), resource: 't'.repeat(63), name: 'n'.repeat(200) }],
  ])('[I12] %s is stored', async (what, more) => {
    const name = what.replaceAll(' ', '-');
    const answer = await admin.post('/resources/apply', { ...crate, name, ...more });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(answer.body).toMatchObject(more);
    const { id } = answer.body as { id: string };
    expect((await admin.get(`/resources/${id}`)).body).toMatchObject(more);
    expect((await admin.delete(`/resources/${id}`)).status).toBe(204);
  });

  it('[I12] a type is registered', async () => {
    const type = {
      provider: 'p'.repeat(40),
      resource: 't'.repeat(63),
      description: '日'.repeat(4_096),
      schema: { type: 'object', description: 'x'.repeat(65_000) },
      tags: [wide],
    };
    const answer = await admin.post('/resources/register', type);
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(answer.body).toMatchObject(type);
    const { provider, resource } = type;
    await admin.delete(`/resources/unregister/${provider}/${resource}`);
  });

  it('[I12] a larger schema is rejected', async () => {
    const schema = { type: 'object', description: 'x'.repeat(65_536) };
    const type = { provider: 'box', resource: 'large', schema };
    expect(await admin.post('/resources/register', type)).toMatchObject({ status: 413 });
  });
});

const kubernetesLike = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'x', namespace: 'kube-system', finalizers: ['a'] },
  status: { state: 'ready' },
  spec: { config: {} },
};

function many(count: number): readonly (readonly [string, number])[] {
  return Array.from({ length: count }, (_, n) => [`key-${n}`, n] as const);
}

describe('arbitrary JSON', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.string({ maxLength: 30 }));
  const name = fc.oneof(fc.constantFrom('box', 'crate', 'a', 'a.b', 'x-y'), text);
  const object = fc.dictionary(text, json, { maxKeys: 5 });
  const applied = fc.record(
    {
      provider: fc.oneof(name, json),
      resource: fc.oneof(name, json),
      name: fc.oneof(name, json),
      config: fc.oneof(object, json),
      lifecycle_state: fc.oneof(fc.constantFrom('draft', 'pending', 'ready'), json),
      tags: fc.oneof(fc.array(text), json),
      project_id: fc.oneof(text, json),
      dependencies: fc.oneof(fc.array(fc.record({ provider: name, resource: name, name })), json),
      id: json,
      outputs: json,
    },
    { requiredKeys: [] },
  );
  /** Mostly right, as what is wrong everywhere stops at the first gate. */
  const nearly = applied.map((some) => ({ ...crate, ...some }));
  const few = fc.record({ tags: fc.array(text), config: object }, { requiredKeys: [] });

  it.each([
    ['any value', json],
    ['any fields', applied],
    ['nearly right fields', nearly],
    ['a few fields that are right in kind', few.map((some) => ({ ...crate, ...some }))],
  ])('[I12] applied gets a documented response: %s', async (_what, bodies) => {
    const one = async (body: unknown) => {
      expectHonest(await admin.send('POST', '/resources/apply', { body: JSON.stringify(body) }));
    };
    await fc.assert(fc.asyncProperty(bodies, one), { numRuns: 150 });
  });

  it('[I12] registered as a schema gets a documented response', async () => {
    const keywords = [
      'type',
      'properties',
      'required',
      'enum',
      'pattern',
      '$ref',
      'anyOf',
      'items',
    ];
    const schemas = fc.dictionary(fc.constantFrom(...keywords), fc.oneof(object, json, text));
    const one = async (schema: unknown) => {
      const body = { provider: 'box', resource: 'odd', schema };
      expectHonest(await admin.post('/resources/register', body));
    };
    await fc.assert(fc.asyncProperty(schemas, one), { numRuns: 150 });
  });

  it('[I12] sent as raw bytes of a body gets a documented response', async () => {
    const one = async (bytes: Uint8Array) => {
      expectHonest(await admin.send('POST', '/resources/apply', { body: Buffer.from(bytes) }));
    };
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), one), { numRuns: 150 });
  });

  const pieces = fc.constantFrom(
    'resources',
    'a',
    'box',
    ':',
    '%2F',
    '/',
    '//',
    '..',
    '%00',
    '%',
    '?',
    '&',
    '=',
    'tags',
    'limit',
    'cursor',
    '[',
    '#',
    'types',
    '%ff',
    '%25',
    '+',
    'docs',
  );

  it.each(['GET', 'DELETE'])(
    '[I12] requested with %s gets a documented response',
    async (method) => {
      const one = async (parts: readonly string[]) => {
        expectHonest(await admin.send(method, `/${parts.join('')}`));
      };
      await fc.assert(fc.asyncProperty(fc.array(pieces, { maxLength: 8 }), one), { numRuns: 300 });
    },
  );

  it('[I12] as a cursor gets a documented response', async () => {
    const one = async (cursor: string) => {
      const encoded = Buffer.from(cursor).toString('base64url');
      for (const each of [encodeURIComponent(cursor.toWellFormed()), encoded]) {
        expectHonest(await admin.get(`/resources/?cursor=${each}`));
      }
    };
    await fc.assert(fc.asyncProperty(text, one), { numRuns: 50 });
  });
});
