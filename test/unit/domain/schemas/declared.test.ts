// A value that equals the default of its place is the same as none: for immutable fields, differences and histories.
import { describe, expect, it } from 'vitest';
import {
  effectiveValue,
  isSameField,
  withDefaults,
} from '../../../../src/domain/schemas/declared.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const fields = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const zone = (value: string) => fields({ zone: { type: 'string', default: value } });
const disk = fields({
  disk: {
    default: { kind: 'ssd' },
    properties: { kind: { type: 'string' }, gb: { type: 'integer', default: 1 } },
  },
});
const union = fields({
  store: {
    anyOf: [
      {
        properties: { kind: { const: 's3' }, region: { default: 'eu' } },
        required: ['kind'],
        type: 'object',
      },
      {
        properties: { kind: { const: 'nfs' }, region: { type: 'string' } },
        required: ['kind'],
        type: 'object',
      },
    ],
  },
});

interface Row {
  readonly reason: string;
  readonly schema: JsonObject | undefined;
  /** That of the other side; the same one when absent. */
  readonly next?: JsonObject;
  readonly path?: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly same: boolean;
}

const rows: readonly Row[] = [
  {
    reason: 'a default is written down',
    schema: zone('a'),
    before: {},
    after: { zone: 'a' },
    same: true,
  },
  {
    reason: 'a default is left out',
    schema: zone('a'),
    before: { zone: 'a' },
    after: {},
    same: true,
  },
  {
    reason: 'another value is declared',
    schema: zone('a'),
    before: {},
    after: { zone: 'b' },
    same: false,
  },
  {
    reason: 'a type has no schema',
    schema: undefined,
    before: {},
    after: { zone: 'a' },
    same: false,
  },
  {
    reason: 'nothing is declared, and the next version has the same default',
    ...{ schema: zone('a'), next: zone('a'), before: {}, after: {}, same: true },
  },
  {
    reason: 'nothing is declared, and the next version has another default',
    ...{ schema: zone('a'), next: zone('b'), before: {}, after: {}, same: false },
  },
  {
    reason: 'the old default is declared where another one is usual',
    ...{ schema: zone('a'), next: zone('b'), before: {}, after: { zone: 'a' }, same: true },
  },
  {
    reason:
      'nothing is declared, and the version before has no default: it does not say what it was',
    ...{ schema: fields({}), next: zone('b'), before: {}, after: {}, same: true },
  },
  {
    reason: 'the new default is declared, and the version before has none',
    ...{ schema: fields({}), next: zone('b'), before: {}, after: { zone: 'b' }, same: true },
  },
  {
    reason: 'a field below a default is written down',
    ...{
      schema: disk,
      path: 'disk.kind',
      before: {},
      after: { disk: { kind: 'ssd' } },
      same: true,
    },
  },
  {
    reason: 'an object is compared with the defaults inside it',
    ...{
      schema: disk,
      path: 'disk',
      before: {},
      after: { disk: { kind: 'ssd', gb: 1 } },
      same: true,
    },
  },
  {
    reason: 'a value inside an object differs from its default',
    ...{
      schema: disk,
      path: 'disk',
      before: {},
      after: { disk: { kind: 'ssd', gb: 2 } },
      same: false,
    },
  },
  {
    reason: 'the form of a union has the default',
    ...{ schema: union, path: 'store.region', same: true },
    ...{ before: { store: { kind: 's3' } }, after: { store: { kind: 's3', region: 'eu' } } },
  },
  {
    reason: 'another form has the default',
    ...{ schema: union, path: 'store.region', same: false },
    ...{ before: { store: { kind: 'nfs' } }, after: { store: { kind: 'nfs', region: 'eu' } } },
  },
  {
    reason: 'a value that may be null has the default',
    schema: fields({ zone: { default: null, anyOf: [{ type: 'string' }, { type: 'null' }] } }),
    ...{ before: {}, after: { zone: null }, same: true },
  },
  {
    reason: 'the default is that of a definition',
    schema: { ...fields({ zone: { $ref: '#/$defs/zone' } }), $defs: { zone: { default: 'a' } } },
    ...{ before: {}, after: { zone: 'a' }, same: true },
  },
  {
    reason: 'items have defaults',
    schema: fields({ mounts: { items: fields({ mode: { default: 'rw' } }) } }),
    path: 'mounts',
    ...{ before: { mounts: [{}] }, after: { mounts: [{ mode: 'rw' }] }, same: true },
  },
];

describe('a field of two configs', () => {
  it.each(rows)('$reason', ({ schema, next = schema, path = 'zone', before, after, same }) => {
    const sides = [
      { config: before, schema },
      { config: after, schema: next },
    ] as const;
    expect(isSameField(path.split('.'), sides)).toBe(same);
    expect(isSameField(path.split('.'), [sides[1], sides[0]])).toBe(same);
  });
});

it('has its default where the config has none', () => {
  expect(effectiveValue({ config: {}, schema: disk }, ['disk', 'kind'])).toBe('ssd');
  expect(effectiveValue({ config: { disk: { kind: 'x' } }, schema: disk }, ['disk', 'gb'])).toBe(1);
  expect(effectiveValue({ config: {}, schema: fields({}) }, ['zone'])).toBeUndefined();
});

describe('the defaults of what a config leaves out', () => {
  const itself = fields({ child: { $ref: '#', default: {} }, size: { default: 1 } });
  const items = fields({ rules: { items: fields({ port: {}, open: { default: false } }) } });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['fills in one', zone('eu'), { size: 3 }, { size: 3, zone: 'eu' }],
    ['leaves a declared one', zone('eu'), { zone: 'us' }, { zone: 'us' }],
    ['fills in those of a default', disk, {}, { disk: { kind: 'ssd', gb: 1 } }],
    ['fills in those of a declared object', disk, { disk: {} }, { disk: { gb: 1 } }],
    ['makes no object without a default', fields({ disk: zone('eu') }), {}, {}],
    [
      'fills in the items of lists',
      items,
      { rules: [{ port: 1 }] },
      { rules: [{ port: 1, open: false }] },
    ],
    [
      'knows the form of a union',
      union,
      { store: { kind: 's3' } },
      { store: { kind: 's3', region: 'eu' } },
    ],
    ['leaves another form', union, { store: { kind: 'nfs' } }, { store: { kind: 'nfs' } }],
  ])('%s', (_what, schema, config, want) => {
    expect(withDefaults({ config, schema })).toEqual(want);
  });

  it('leaves a config without a schema, and ends where a schema contains itself', () => {
    expect(withDefaults({ config: { a: 1 }, schema: undefined })).toEqual({ a: 1 });
    expect(withDefaults({ config: {}, schema: itself })).toMatchObject({
      size: 1,
      child: { size: 1 },
    });
  });
});
