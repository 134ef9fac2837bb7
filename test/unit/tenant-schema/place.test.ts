// What schemas mean for each place of a value, and in how many steps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { missingFields } from '../../../src/domain/observation/missing.ts';
import { withoutSecretMembers } from '../../../src/domain/secrets/leave-out.ts';
import { marksOf, mask } from '../../../src/domain/secrets/marks.ts';
import { createBudget } from '../../../src/lib/budget.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../../src/lib/json.ts';
import { listIn, referred } from '../../../src/tenant-schema/keywords.ts';
import { compile, type Place } from '../../../src/tenant-schema/place.ts';
import {
  manyMembers,
  manyPatterns,
  objectsInObjects,
  requiredEverywhere,
} from './worst-schemas.ts';

/** The same question, answered by visiting each keyword for each part of a value: what places must agree with. */
function applyingAt(root: JsonObject, path: readonly (string | number)[]): ReadonlySet<JsonObject> {
  let applying = withIncluded(root, [root]);
  for (const step of path) {
    const next = [...applying].flatMap((each) =>
      typeof step === 'number' ? itemsIn(each, step) : membersIn(each, step),
    );
    applying = withIncluded(root, next);
  }
  return applying;
}

function withIncluded(root: JsonObject, schemas: readonly unknown[]): ReadonlySet<JsonObject> {
  const found = new Set(schemas.filter(isJsonObject));
  for (const schema of found) {
    const parts = [
      ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listIn(schema[keyword])),
      ...['if', 'then', 'else'].map((keyword) => schema[keyword]),
      ...Object.values(ownMember(schema, 'dependentSchemas') ?? {}),
      referred(root, schema['$ref']),
    ];
    for (const part of parts.filter(isJsonObject)) found.add(part);
  }
  return found;
}

function membersIn(schema: JsonObject, name: string): readonly unknown[] {
  const named = ownMember(schema['properties'], name);
  const patterns = Object.entries((schema['patternProperties'] ?? {}) as JsonObject);
  const isPlain = (pattern: string) => /^\^?[\w-]*\$?$/.test(pattern);
  const matching = patterns.filter(
    ([pattern]) => !isPlain(pattern) || new RegExp(pattern, 'u').test(name),
  );
  const isSure = named !== undefined || matching.some(([pattern]) => isPlain(pattern));
  const rest = [schema['additionalProperties'], schema['unevaluatedProperties']];
  return [named, ...matching.map(([, part]) => part), ...(isSure ? [] : rest)];
}

function itemsIn({ contains, prefixItems, items, unevaluatedItems }: JsonObject, index: number) {
  const first = listIn(prefixItems)[index];
  return [contains, ...(first === undefined ? [items, unevaluatedItems] : [first])];
}

const name = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', '^a', 'a$', '', '__proto__', 'key_a');
const pattern = fc.constantFrom('', '^', '$', '^$', 'a', '^a', 'b$', '^ab$', 'ab', 'b', '^(a|b)+$');
const { schema } = fc.letrec<{ schema: JsonValue; part: JsonValue }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<JsonValue>(true, false, {}, { writeOnly: true }, { uniqueItems: true }),
    fc.constantFrom<JsonValue>({ $ref: '#' }, { $ref: '#/properties/a' }, { $ref: '#/allOf/0' }),
    tie('schema'),
  ),
  schema: fc.record(
    {
      properties: fc.dictionary(name, tie('part'), { maxKeys: 3 }),
      patternProperties: fc.dictionary(pattern, tie('part'), { maxKeys: 4 }),
      additionalProperties: tie('part'),
      allOf: fc.array(tie('part'), { maxLength: 2 }),
      anyOf: fc.array(tie('part'), { maxLength: 2 }),
      if: tie('part'),
      dependentSchemas: fc.dictionary(name, tie('part'), { maxKeys: 1 }),
      prefixItems: fc.array(tie('part'), { maxLength: 2 }),
      items: tie('part'),
      contains: tie('part'),
      sensitive: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
}));
const step = fc.oneof(name, fc.nat(4));

describe('a place', () => {
  it('has the subschemas that apply to each part of any value', () => {
    const paths = fc.array(fc.array(step, { maxLength: 5 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(schema as fc.Arbitrary<JsonObject>, paths, (root, all) => {
        const budget = createBudget();
        // The second time places are found that the first one made.
        for (const path of [...all, ...all]) {
          let place: Place | undefined = compile([root], budget);
          for (const each of path) {
            place =
              typeof each === 'number' ? place?.item(each, budget) : place?.member(each, budget);
          }
          const applying = applyingAt(root, path);
          expect(place?.schemas).toHaveLength(applying.size);
          expect(place?.schemas.every((each) => applying.has(each))).toBe(true);
        }
      }),
    );
  });

  it('is that of several schemas, whose references lead to their own parts', () => {
    const shared = { properties: { a: { $ref: '#/$defs/a' } } };
    const roots = [
      { ...shared, $defs: { a: {} } },
      { ...shared, $defs: { a: { writeOnly: true } } },
    ];
    const budget = createBudget();
    expect(compile(roots, budget)?.member('a', budget)?.isSecret).toBe(true);
    expect(compile(roots.slice(0, 1), budget)?.member('a', budget)?.isSecret).toBe(false);
  });

  it('is made once', () => {
    const root = { properties: { next: { $ref: '#' } }, writeOnly: true };
    const first = createBudget();
    compile([root], first)?.member('next', first)?.member('next', first);
    const again = createBudget(0);
    let place = compile([root], again);
    for (let depth = 0; depth < 50; depth += 1) place = place?.member('next', again);
    expect(place?.isSecret).toBe(true);
    expect(again.spent).toBe(0);
  });

  it('is undefined once the budget is spent', () => {
    const root = { properties: { a: {}, b: {} } };
    const enough = createBudget();
    const whole = compile([root], enough);
    expect(whole?.member('a', enough)).toBeDefined();
    expect(whole?.member('b', createBudget(0))).toBeUndefined();
    expect(whole?.member('b', enough)).toBeDefined();
    expect(compile([{ ...root }], createBudget(0))).toBeUndefined();
  });
});

it('keeps the places of a schema while another one needs very many', () => {
  const ordinary = { properties: { a: { writeOnly: true } } };
  const first = createBudget();
  compile([ordinary], first)?.member('a', first);
  const patterns = Array.from({ length: 290 }, (_, index) => [`${index}-`, {}] as const);
  const large = { patternProperties: Object.fromEntries(patterns) };
  for (let request = 0; request < 8; request += 1) {
    const budget = createBudget();
    for (let at = 0; budget.spend(0); at += 1) {
      compile([large], budget)?.member(`${at % 290}-${(at + request) % 290}-${at}`, budget);
      if (at > 20_000) break;
    }
  }
  const none = createBudget(0);
  expect(compile([ordinary], none)?.member('a', none)?.isSecret).toBe(true);
});

/** Steps take less than a microsecond, and a value takes one more for each member. */
describe('the steps of', () => {
  it('[I7] a schema that requires many names of each of many objects', () => {
    const budget = createBudget();
    const found = [...missingFields(requiredEverywhere(), objectsInObjects(), budget)];
    expect(found.filter((field) => field !== undefined)).toHaveLength(200);
    expect(budget.spent).toBeLessThan(50_000);
  });

  it('[I7] many plain patterns and many names', () => {
    const budget = createBudget();
    const config = manyMembers(6_500);
    expect(mask(marksOf(manyPatterns()), config, budget)).toEqual(config);
    expect(budget.spent).toBeLessThan(50_000);
  });

  it('[I7] many values together', () => {
    const budget = createBudget();
    const schemas = { config: [manyPatterns()], outputs: [], adopt: [] };
    const config = manyMembers(100);
    for (let item = 0; item < 50; item += 1) {
      const contents = { config, outputs: {}, adopt: { id: `${item}` } };
      expect(withoutSecretMembers(contents, schemas, budget)).toEqual(contents);
    }
    expect(budget.spent).toBeLessThan(50_000);
  });

  it('[I7] names that match any number of patterns, which end with the budget', () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 290 }, (_, index) => [`${index}-`, { writeOnly: index === 0 }]),
    );
    const config = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => {
        return [`${index % 290}-${(index * 7 + Math.floor(index / 290)) % 290}-`, 1];
      }),
    );
    const budget = createBudget();
    const shown = mask(marksOf({ patternProperties }), config, budget) as JsonObject;
    expect(new Set(Object.values(shown))).toEqual(new Set([1, '[masked]']));
    expect(budget.spent).toBeGreaterThan(75_000);
  });
});
