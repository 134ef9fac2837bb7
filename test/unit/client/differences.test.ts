import { expect, it } from 'vitest';
import type { ApplyResource, ResourceDefinition, ResourceRecord } from '../../../src/api/shapes.ts';
import { differencesOf } from '../../../src/client/differences.ts';

const tuple = { provider: 'a', resource: 'b', name: 'c' };
const stored = {
  ...tuple,
  config: { size: 1, nested: { deep: 1, same: 2 }, secret: { key: 'old' } },
  tags: ['x'],
  dependencies: [{ provider: 'a', resource: 'b', name: 'd' }],
  ...{ project_id: 'p', project_name: 'Main' },
  lifecycle_state: 'ready',
} as unknown as ResourceRecord;
const schema = { type: 'object', properties: { secret: { type: 'object', writeOnly: true } } };

const compare = (
  body: Partial<ApplyResource>,
  before: ResourceRecord | undefined = stored,
  shown = true,
) =>
  differencesOf(
    before,
    { ...tuple, lifecycle_state: 'pending', config: stored.config, ...body } as ApplyResource,
    { schema: { ...schema, additionalProperties: true }, shown },
  );

it.each<[string, Partial<ApplyResource>, readonly object[]]>([
  ['absent fields, which stay', {}, []],
  [
    'options',
    { protected: true, expires_at: '2026-02-01T08:00:00Z' },
    [
      { path: 'protected', after: true },
      { path: 'expires_at', after: '2026-02-01T08:00:00.000Z' },
    ],
  ],
  [
    'what a resource imports, and its default policy',
    { adopt: { id: 'x' }, deletion_policy: 'orphan', observe: { every: '10m' } },
    [
      { path: 'adopt.id', after: 'x' },
      { path: 'observe.every', after: '10m' },
    ],
  ],
  ['cleared tags', { tags: null }, [{ path: 'tags', before: ['x'] }]],
  ['no dependencies', { dependencies: [] }, [{ path: 'dependencies', before: ['a/b/d'] }]],
  [
    'members of nested objects',
    { config: { size: 1, nested: { same: 2, more: 3 }, secret: { key: 'old' } } },
    [
      { path: 'config.nested.deep', before: 1 },
      { path: 'config.nested.more', after: 3 },
    ],
  ],
  [
    'an object in place of a number',
    { config: { ...stored.config, size: {} } },
    [{ path: 'config.size', before: 1, after: {} }],
  ],
  ['the project by its id', { project_id: 'p' }, []],
  ['the project by its name', { project_id: 'Main' }, []],
  ['another project', { project_id: 'q' }, [{ path: 'project', before: 'Main', after: 'q' }]],
])('compares %s', (_, body, expected) => {
  const found = compare(body);
  expect(found).toHaveLength(expected.length);
  expect(found).toEqual(expect.arrayContaining([...expected]));
});

it('masks what the schema marks as secret, at any depth', () => {
  const body = { config: { ...stored.config, secret: { key: 'new' } } };
  expect(compare(body, stored, false)).toEqual([
    { path: 'config.secret.key', before: '[masked]', after: '[masked]' },
  ]);
});

it('masks every value of a type without a schema', () => {
  const body = { config: { ...stored.config, size: 2 } };
  const found = differencesOf(stored, { ...stored, ...body }, { schema: undefined, shown: false });
  expect(JSON.stringify(found)).not.toMatch(/1|2/);
});

it('shows no secret of what identifies an object', () => {
  const before = { ...stored, adopt: { id: 'a', token: 'old' } } as ResourceRecord;
  const after = { ...before, adopt: { id: 'b', token: 'new' } };
  const adoptSchema = { properties: { token: { writeOnly: true } } };
  expect(differencesOf(before, after, { schema: {}, adoptSchema, shown: false })).toEqual([
    { path: 'adopt.id', before: 'a', after: 'b' },
    { path: 'adopt.token', before: '[masked]', after: '[masked]' },
  ]);
});

it('takes a default that is written down for no difference, in the version of each side', () => {
  const zone = (usual: string) => ({ properties: { zone: { type: 'string', default: usual } } });
  const type = {
    ...{ schema: zone('b'), type_version: 2 },
    earlier_versions: [{ type_version: 1, schema: zone('a') }],
  } as unknown as ResourceDefinition;
  const record = (config: object, type_version: number) =>
    ({ ...stored, config, type_version }) as unknown as ResourceRecord;
  const differs = (before: ResourceRecord, after: ResourceRecord) =>
    differencesOf(before, after, { schema: {}, type, shown: true }).map(({ path }) => path);
  expect(differs(record({}, 1), record({ zone: 'a' }, 1))).toEqual([]);
  expect(differs(record({}, 2), record({ zone: 'a' }, 2))).toEqual(['config.zone']);
  expect(differs(record({}, 1), record({ zone: 'b' }, 2))).toEqual(['config.zone']);
});
