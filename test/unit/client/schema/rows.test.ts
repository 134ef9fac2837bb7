// The fields of a schema, as `fairlead type get` and the console list them.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaRows } from '../../../../src/client/schema/rows.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const text = { type: 'string' };
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const schemaOf = (type: z.ZodType): JsonObject =>
  JSON.parse(JSON.stringify(z.toJSONSchema(type, { io: 'input' })));
const kinds = (schema: JsonObject, options = {}) =>
  schemaRows(schema, options).rows.map(({ path, type, isRequired }) => {
    return `${path}: ${type}${isRequired ? '!' : ''}`;
  });

describe('the fields of a schema', () => {
  it('have a row each', () => {
    const { rows, isCut } = schemaRows(
      object(
        {
          size: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 3 },
          tags: { type: 'array', items: { enum: ['x'] } },
          labels: { additionalProperties: text },
          key: { type: 'object', sensitive: true, properties: { pem: text } },
        },
        ['size'],
      ),
    );
    expect(rows.map(({ path }) => path)).toEqual([
      ...['size', 'tags', 'tags[]', 'labels', 'labels.*', 'key', 'key.pem'],
    ]);
    expect(rows[0]).toEqual({
      path: 'size',
      type: 'integer',
      values: undefined,
      isRequired: true,
      isSecret: false,
      isImmutable: false,
      description: '',
      constraints: ['minimum 1'],
      initial: '3',
    });
    expect(rows[2]).toMatchObject({ type: 'string', values: ['x'] });
    expect(rows.at(-1)?.isSecret).toBe(true);
    expect(isCut).toBe(false);
  });

  it('name the form that a discriminator names, of configs, items and forms within forms', () => {
    const s3 = z.object({ kind: z.literal('s3'), bucket: z.string() });
    const disk = z.object({ kind: z.enum(['disk', 'ssd']), path: z.string().optional() });
    const place = z.discriminatedUnion('kind', [s3, disk]);
    expect(kinds(schemaOf(z.object({ copies: z.array(place), main: place.nullable() })))).toEqual([
      'copies: array!',
      'copies[]: object',
      'copies[](kind=s3): object',
      'copies[](kind=s3).kind: string!',
      'copies[](kind=s3).bucket: string!',
      'copies[](kind=disk|ssd): object',
      'copies[](kind=disk|ssd).kind: string!',
      'copies[](kind=disk|ssd).path: string',
      'main: object | null!',
      ...['s3', 's3.kind!', 's3.bucket!', 'disk|ssd', 'disk|ssd.kind!', 'disk|ssd.path'].map(
        (row) => {
          const [kind = '', name] = row.replace('!', '').split('.');
          const field = name === undefined ? ': object' : `.${name}: string`;
          return `main(kind=${kind})${field}${row.endsWith('!') ? '!' : ''}`;
        },
      ),
    ]);
    const config = { type: 'object', ...schemaOf(place) };
    expect(kinds(config, { nested: false })).toEqual([
      '(kind=s3): object',
      '(kind=s3).kind: string!',
      '(kind=s3).bucket: string!',
      '(kind=disk|ssd): object',
      '(kind=disk|ssd).kind: string!',
      '(kind=disk|ssd).path: string',
    ]);
  });

  it('number the forms of another union, and have none for a value that may be null', () => {
    const schema = schemaOf(
      z.object({ size: z.union([z.string(), z.int()]), note: z.string().nullable() }),
    );
    expect(kinds(schema)).toEqual([
      'size: string | integer!',
      'size(1): string',
      'size(2): integer',
      'note: string | null!',
    ]);
  });

  it('are those of the top alone when asked', () => {
    const schema = object({ a: object({ b: text }), c: { type: 'array', items: text } });
    expect(kinds(schema, { nested: false })).toEqual(['a: object', 'c: array']);
  });

  it('are immutable where they are marked, or what contains them', () => {
    const place = object({ zone: text });
    const schema = object({
      a: { ...place, immutable: true },
      b: { anyOf: [text, { type: 'null' }] },
    });
    const marked = (root: JsonObject) =>
      schemaRows(root).rows.flatMap(({ path, isImmutable }) => (isImmutable ? [path] : []));
    expect(marked(schema)).toEqual(['a', 'a.zone']);
    const shared = {
      ...object({ b: { $ref: '#/$defs/p' } }),
      $defs: { p: { ...text, immutable: true } },
    };
    expect(marked(shared)).toEqual(['b']);
  });

  it('end where a schema contains itself, or is too large', () => {
    const node = object(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { $ref: '#' }])));
    for (const schema of [
      node,
      object(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, node]))),
    ]) {
      const { rows, isCut } = schemaRows(schema);
      expect(rows.length).toBeLessThanOrEqual(500);
      expect(isCut).toBe(true);
    }
  });
});
