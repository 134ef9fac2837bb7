// The worst inputs of what looks for secrets, for sets and for missing fields, by the schemas of a type.
import { compare } from '../../../src/domain/observation/compare.ts';
import { missingFields } from '../../../src/domain/observation/missing.ts';
import { withoutSecretMembers } from '../../../src/domain/secrets/leave-out.ts';
import { marksOf, marksSecrets, mask, secretsIn } from '../../../src/domain/secrets/marks.ts';
import { outputSecrets } from '../../../src/domain/secrets/received-secrets.ts';
import {
  appliedSecretPlaces,
  nothingRecorded,
  placesToRecord,
  type StoredContents,
  secretTexts,
  withoutMarked,
  withoutSecrets,
} from '../../../src/domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../../../src/domain/secrets/type-schemas.ts';
import { createBudget } from '../../../src/lib/budget.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { anyPatterns, hostileSchemas, manyNames, plainPatterns } from './hostile-schemas.ts';
import { items, members, nested, times, tree } from './hostile-values.ts';
import { type WorstInput, worst } from './row.ts';

/** The names that the hostile schemas have. */
const values: Readonly<Record<string, () => JsonObject>> = {
  sameNames: () => tree(times(36, (at) => at.toString(36))),
  manyNames: namesOfMany,
  plainPatterns: () => members(() => 1, { prefix: 'x0-' }),
  anyPatterns: () => members(() => 1),
};

function namesOfMany(): JsonObject {
  return tree(times(20, (at) => `0${at.toString(36)}`));
}

const marked: JsonObject = { writeOnly: true };
const sets: JsonObject = { uniqueItems: true };

const typeOf = (...config: JsonObject[]): TypeSchemas => ({ config, outputs: config, adopt: [] });
const stored = (value: JsonObject): StoredContents => ({
  config: value,
  outputs: value,
  secrets: { ...nothingRecorded, appliedConfig: value },
});

const secretList: JsonObject = {
  properties: { secrets: { writeOnly: true, items: { type: 'string' } } },
};
const manySecrets = () => ({ secrets: items((at) => at.toString(36).padStart(4, '0')) });

const compared = (declared: JsonObject, actual: JsonObject, schema: JsonObject) => ({
  ...{ declared, actual, schema },
  ...{ secrets: [], ignore: [] },
});
const setOfSets: JsonObject = {
  properties: { a: { $ref: '#/$defs/set' } },
  $defs: { set: { uniqueItems: true, items: { $ref: '#/$defs/set' } } },
};

function listInLists(last: JsonValue): JsonObject {
  let value = last;
  for (let depth = 2; depth < 63; depth += 1) value = [value];
  return { a: value };
}

function setsOf(prefix: string): JsonValue {
  return times(400, (at) => times(60, (index) => ({ [`${prefix}${at}`]: index })));
}

/** Many small values, as in the page of a list. */
function pageOf(make: (name: string) => JsonObject): readonly JsonObject[] {
  return times(1_000, (at) => make(at.toString(36)));
}

export const markInputs: readonly WorstInput[] = [
  ...Object.entries(values).flatMap(([name, value]) => {
    const schema = hostileSchemas[name] as (mark?: JsonObject) => JsonObject;
    return [
      worst(
        'domain/secrets/marks mask',
        name,
        () => [marksOf(schema(marked)), value()],
        (marks, each) => mask(marks, each),
      ),
      worst(
        'domain/observation/missing missingFields',
        name,
        () => [schema(marked), value()],
        (each, config) => [...missingFields(each, config)],
      ),
      worst(
        'domain/observation/compare compare',
        name,
        () => [compared(value(), value(), schema(sets))],
        compare,
      ),
    ];
  }),
  worst('domain/secrets/marks marksSecrets', 'manyNames', () => [manyNames()], marksSecrets),
  worst(
    'domain/secrets/marks secretsIn',
    'anyPatterns',
    () => [marksOf(anyPatterns(marked)), members(() => 1)],
    (marks, each) => secretsIn(marks, each),
  ),
  worst(
    'domain/secrets/leave-out withoutSecretMembers',
    'manyNames',
    () => [{ config: namesOfMany(), outputs: {} }, typeOf(manyNames(marked))],
    (contents, schemas) => withoutSecretMembers(contents, schemas),
  ),
  worst(
    'domain/secrets/leave-out withoutSecretMembers',
    'plainPatterns, in the items of a page',
    () => [pageOf((at) => ({ [`x1-${at}`]: {}, [`0${at}`]: {} })), typeOf(plainPatterns(marked))],
    (configs, schemas) => {
      const budget = createBudget();
      return configs.map((config) =>
        withoutSecretMembers({ config, outputs: {} }, schemas, budget),
      );
    },
  ),
  worst(
    'domain/secrets/resource-secrets withoutSecrets',
    'manyNames',
    () => [stored(namesOfMany()), typeOf(manyNames(marked))],
    (each, schemas) => withoutSecrets(each, schemas),
  ),
  worst(
    'domain/secrets/resource-secrets appliedSecretPlaces',
    'manyNames',
    () => [nothingRecorded, typeOf(manyNames(marked)), namesOfMany()],
    (recorded, schemas, each) => appliedSecretPlaces(recorded, schemas, each),
  ),
  worst(
    'domain/secrets/resource-secrets placesToRecord',
    'anyPatterns',
    () => [members(() => 1), marksOf(anyPatterns(marked))],
    placesToRecord,
  ),
  worst(
    'domain/secrets/marks secretsIn',
    'a list of secrets',
    () => [marksOf(secretList), manySecrets()],
    (marks, each) => secretsIn(marks, each),
  ),
  worst(
    'domain/secrets/resource-secrets secretTexts',
    'a list of secrets',
    () => [stored(manySecrets()), typeOf(secretList)],
    (each, schemas) => secretTexts(each, schemas),
  ),
  worst(
    'domain/secrets/resource-secrets withoutSecrets',
    'a list of secrets',
    () => [
      { ...stored(manySecrets()), outputs: members((name) => `x${name}`) },
      typeOf(secretList),
    ],
    (each, schemas) => withoutSecrets(each, schemas),
  ),
  worst(
    'domain/secrets/resource-secrets withoutSecrets',
    'a page of records with a secret each',
    () => [
      pageOf((at) => ({ secrets: [`${at}-of / "many" secrets`] })),
      { url: 'https://example.com' },
      typeOf(secretList),
    ],
    (configs, outputs, schemas) => {
      const budget = createBudget();
      return configs.map((config) =>
        withoutSecrets({ ...stored(config), outputs }, schemas, budget),
      );
    },
  ),
  worst(
    'domain/secrets/resource-secrets withoutSecrets',
    'schemas of twenty versions',
    () => [stored(members(() => 1)), typeOf(...times(20, () => plainPatterns(marked)))],
    (each, schemas) => withoutSecrets(each, schemas),
  ),
  worst(
    'domain/secrets/resource-secrets withoutMarked',
    'a list of secrets',
    () => [{ config: manySecrets(), outputs: {} }, typeOf(secretList)],
    (each, schemas) => withoutMarked(each, schemas),
  ),
  worst(
    'domain/secrets/received-secrets outputSecrets',
    'a list of secrets',
    () => [stored(manySecrets()), typeOf(secretList)],
    outputSecrets,
  ),
  worst(
    'domain/observation/compare compare',
    'sets of items that all fit',
    () => [
      compared(
        { a: times(440, (at) => ({ a: at })) },
        { a: times(440, (at) => ({ b: at })) },
        setOfSets,
      ),
    ],
    compare,
  ),
  worst(
    'domain/observation/compare compare',
    'sets of sets that all differ',
    () => [compared({ a: setsOf('a') }, { a: setsOf('b') }, setOfSets)],
    compare,
  ),
  worst(
    'domain/observation/compare compare',
    'a large set in sets',
    () => [compared(listInLists(items((at) => at)), listInLists(items((at) => -at)), setOfSets)],
    compare,
  ),
  worst(
    'domain/observation/compare compare',
    'deep secrets',
    () => [
      {
        ...compared(nested(members(() => 1)), nested(members(() => 1)), {}),
        secrets: Object.keys(members(() => 1)).map((name) => `${'/a'.repeat(63)}/${name}`),
      },
    ],
    compare,
  ),
];
