// Which members and types a schema permits.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { possibleValues } from '../../../../src/domain/schemas/possible-values.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';

const output = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'output' }) as JsonObject;

const tricky: Record<string, readonly [schema: JsonObject, path: string[], possible: boolean]> = {
  'a definition': [
    { $ref: '#/$defs/a', $defs: { a: { properties: { x: {} }, additionalProperties: false } } },
    ['x'],
    true,
  ],
  'what a definition lacks': [
    { $ref: '#/$defs/a', $defs: { a: { properties: { x: {} }, additionalProperties: false } } },
    ['y'],
    false,
  ],
  'a definition of itself': [
    { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    ['x'],
    true,
  ],
  'a definition that is missing': [{ $ref: '#/$defs/none' }, ['x'], true],
  'what one of all parts excludes': [
    { allOf: [{ properties: { x: {} } }, { additionalProperties: false }] },
    ['x'],
    false,
  ],
  'a pattern': [{ patternProperties: { '^x': {} }, additionalProperties: false }, ['y'], true],
  'a name of an object, however it is spelled': [
    { properties: {}, additionalProperties: false },
    ['__proto__'],
    false,
  ],
  'a condition': [
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
    { if: {}, then: { properties: { x: false } }, else: { properties: { x: false } } },
    ['x'],
    true,
  ],
  'a property that nothing fits': [{ properties: { x: false } }, ['x'], false],
};

describe('a schema permits', () => {
  it.each(Object.entries(tricky))('%s', (_name, [schema, path, possible]) => {
    expect('alternatives' in possibleValues(schema).at(path)).toBe(possible);
  });

  it('whatever it takes too long to read', () => {
    const both = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] };
    const schema = { ...both, $defs: { a: both } };
    expect(possibleValues(schema).at(['x'])).toHaveProperty('alternatives');
  });

  it('every member and type of every value that fits', () => {
    const leaf = fc.constantFrom<readonly [z.ZodType, JsonValue]>(
      [z.string(), 'a'],
      [z.int(), 1],
      [z.number(), 1.5],
      [z.boolean(), false],
      [z.null(), null],
      [z.enum(['x', 'y']), 'x'],
      [z.literal(3), 3],
    );
    const wrap = (tie: fc.Arbitrary<readonly [z.ZodType, JsonValue]>) =>
      fc.oneof(
        fc.array(tie, { minLength: 1, maxLength: 3 }).map((members) => {
          const named = members.map((each, index) => [`m${index}`, each] as const);
          const shape = Object.fromEntries(named.map(([name, [type]]) => [name, type]));
          const value = Object.fromEntries(named.map(([name, [, each]]) => [name, each]));
          return [z.object(shape), value] as const;
        }),
        tie.map(([type, value]) => [z.array(type), [value]] as const),
        tie.map(([type, value]) => [z.union([z.object({ other: z.int() }), type]), value] as const),
        tie.map(([type, value]) => [z.record(z.string(), type), { any: value }] as const),
        tie.map(([type, value]) => [type.nullable().optional(), value] as const),
      );
    const { pair } = fc.letrec<{ pair: readonly [z.ZodType, JsonValue] }>((tie) => ({
      pair: fc.oneof({ maxDepth: 4 }, leaf, wrap(tie('pair'))),
    }));
    fc.assert(
      fc.property(pair, ([type, value]) => {
        const possible = possibleValues(output(z.object({ root: type })));
        for (const [path, part] of partsOf(value, ['root'])) {
          const found = possible.at(path);
          if (!('alternatives' in found)) throw new Error(`refuses ${path.join('.')}`);
          expect(possible.typesOf(found.alternatives)).toContain(typeName(part));
        }
      }),
    );
  });
});

function* partsOf(value: JsonValue, path: string[]): Iterable<readonly [string[], JsonValue]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* partsOf(part as JsonValue, [...path, key]);
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
