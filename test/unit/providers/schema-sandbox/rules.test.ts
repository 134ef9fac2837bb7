import { describe, expect, it } from 'vitest';
import type { SchemaOf } from '../../../../src/domain/schemas/immutable.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { compileSchema } from '../../../../src/providers/schema-sandbox/compile.ts';
import { patternSyntaxProblem } from '../../../../src/providers/schema-sandbox/pattern-syntax.ts';
import { patternProblem } from '../../../../src/providers/schema-sandbox/patterns.ts';
import { inspectSchema } from '../../../../src/providers/schema-sandbox/rules.ts';
import { z } from '../../../../src/sdk/index.ts';

const list = { type: 'array', contains: { type: 'string' } };
const field = (schema: JsonObject): JsonObject => ({ properties: { a: schema } });

describe('keywords without an effect are refused with their place, as by the compiler', () => {
  const refused: Readonly<Record<string, JsonObject>> = {
    "a.if: 'if' has no effect without 'then' or 'else'": { if: {} },
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
    "a.then: 'then' has no effect without 'if'": { then: {} },
    "a.else: 'else' has no effect without 'if'": { else: {} },
    "a.minContains: 'minContains' has no effect without 'contains'": { minContains: 1 },
    "a.maxContains: 'maxContains' has no effect without 'contains'": { maxContains: 1 },
    "a.minContains: 'minContains' 0 makes 'contains' have no effect without 'maxContains'": {
      ...list,
      minContains: 0,
    },
    "a.minContains: 'minContains' is above 'maxContains'": {
      ...list,
      minContains: 2,
      maxContains: 1,
    },
  };
  it.each(Object.entries(refused))('%s', (says, schema) => {
    const { violations } = inspectSchema(field(schema));
    expect(violations.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)).toEqual([says]);
    expect(() => compileSchema(field(schema))).toThrow('strict mode');
  });

  it.each([
    { if: {}, else: false },
    { ...list, minContains: 0, maxContains: 1 },
    { ...list, minContains: 2, maxContains: 2 },
  ])('but not %j', (schema) => {
    expect(inspectSchema(field(schema)).violations).toEqual([]);
    compileSchema(field(schema));
  });
});

describe('marks of fields that cannot change', () => {
  const fixed = { type: 'string', immutable: true };

  it.each<[SchemaOf, JsonObject, string]>([
    ['config', field({ items: fixed }), 'properties.a.items.immutable: Items of a list'],
    ['config', field({ anyOf: [{}, fixed] }), 'properties.a.anyOf.1.immutable: Branches of anyOf'],
    ['config', { immutable: true }, 'immutable: The config as a whole'],
    ['outputs', field(fixed), 'properties.a.immutable: Outputs cannot be immutable'],
    ['settings', field(fixed), 'properties.a.immutable: Settings cannot be immutable'],
  ])('are refused in %s where they cannot work: %j', (of, schema, says) => {
    const [violation, ...others] = inspectSchema(schema, of).violations;
    expect(others).toEqual([]);
    expect([violation?.loc.join('.'), violation?.msg].join(': ')).toContain(says);
    // A schema that others stored still validates.
    compileSchema(schema);
  });

  it('name items of lists by their number', () => {
    const { violations } = inspectSchema(field({ anyOf: [{}, fixed] }));
    expect(violations[0]?.loc).toEqual(['properties', 'a', 'anyOf', 1, 'immutable']);
  });

  it('are accepted on properties', () => {
    expect(inspectSchema(field(fixed)).violations).toEqual([]);
  });
});

describe('the syntax of patterns', () => {
  it.each([
    '^(?=.*a)b$',
    '(?!a)',
    '(?<=a)b',
    '(?<!a)b',
    String.raw`(a)\1`,
    'a{1001}',
    'a{1,2000}',
    String.raw`\p{Script=Greek}`,
  ])('is refused before the engine: %s', (pattern) => {
    expect(patternSyntaxProblem(pattern)).toContain('patterns follow the RE2 syntax');
    expect(patternProblem(pattern)).toContain('patterns follow the RE2 syntax');
  });

  it.each([
    '[(?=]',
    String.raw`\(?=`,
    String.raw`[\]](?:a)(?<name>b)`,
    String.raw`\\1`,
    'a{1000}',
    String.raw`\p{Lu}`,
    '[a{1001}]',
  ])('is not refused where the engine takes it: %s', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
    expect(patternSyntaxProblem(pattern)).toBeUndefined();
  });

  it('is that of zod', () => {
    const formats = z.object({
      a: z.iso.duration(),
      b: z.hostname(),
      c: z.emoji(),
      d: z.email(),
      e: z.uuid(),
      f: z.iso.datetime(),
    });
    const schema = z.toJSONSchema(formats) as unknown as JsonObject;
    expect(inspectSchema(schema).violations).toEqual([]);
  });
});
