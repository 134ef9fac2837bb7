import { expect, it } from 'vitest';
import {
  acceptedVersions,
  isTypeVersion,
  schemaForVersion,
  typeVersionsIn,
  versionsProblem,
} from '../../../src/domain/type-version.ts';

const schema = { type: 'object' } as const;
const earlier = (...versions: readonly number[]) =>
  versions.map((type_version) => ({ type_version, schema }));

it('keeps what a type declares', () => {
  const body = {
    type_version: 3,
    outputs_schema: schema,
    earlier_versions: [
      { type_version: 1, schema },
      { type_version: 2, schema, outputs_schema: schema },
    ],
  };
  const declared = typeVersionsIn(body);
  expect(declared).toEqual({
    typeVersion: 3,
    outputsSchema: schema,
    earlierVersions: [
      { typeVersion: 1, schema },
      { typeVersion: 2, schema, outputsSchema: schema },
    ],
  });
});

it.each([
  ['nothing', {}],
  ['null', { type_version: null, outputs_schema: null, earlier_versions: null }],
  ['version 1 and no versions before it', { type_version: 1, earlier_versions: [] }],
])('stores nothing for %s, so that such a type is the same as one without versions', (_, body) => {
  expect(typeVersionsIn(body)).toEqual({});
});

it.each([
  ['none', {}, undefined],
  ['those below the newest', { type_version: 3, earlier_versions: earlier(2, 1) }, undefined],
  ['the newest', { type_version: 2, earlier_versions: earlier(1, 2) }, 1],
  ['a later one', { type_version: 2, earlier_versions: earlier(3) }, 0],
  ['one of a type without a version', { earlier_versions: earlier(1) }, 0],
  ['one that is there already', { type_version: 4, earlier_versions: earlier(1, 2, 1) }, 2],
] as const)('judges earlier versions: %s', (_, body, at) => {
  expect(versionsProblem(body)?.at).toBe(at);
});

const one = { title: 'one' };
const three = { title: 'three' };
const type = { typeVersion: 3, schema: three, earlierVersions: [{ typeVersion: 1, schema: one }] };

it.each([
  ['of the newest version', type, 3, { typeVersion: 3, schema: three }],
  ['of an earlier one that the type migrates from', type, 1, { typeVersion: 1, schema: one }],
  ['of the newest, without a migration', type, 2, { typeVersion: 3, schema: three }],
  ['of the newest, after a rollback', type, 4, { typeVersion: 3, schema: three }],
  ['of a type without versions', { schema: one }, 1, { typeVersion: 1, schema: one }],
  ['that admits everything', {}, 1, { typeVersion: 1, schema: undefined }],
  [
    'of the newest, where kubectl lists a later version as an earlier one',
    { schema: one, earlierVersions: [{ typeVersion: 2, schema: three }] },
    2,
    { typeVersion: 1, schema: one },
  ],
] as const)('decides by the schema %s', (_, of, version, want) => {
  expect(schemaForVersion(of, version)).toMatchObject(want);
});

it('accepts the newest version and those before it, the newest first', () => {
  const earlierVersions = [2, 1, 9].map((typeVersion) => ({ typeVersion, schema }));
  expect(acceptedVersions({ typeVersion: 5, earlierVersions })).toEqual([5, 2, 1]);
  expect(acceptedVersions({})).toEqual([1]);
});

it.each([
  [1, true],
  [1_000, true],
  [0, false],
  [1_001, false],
  [1.5, false],
  ['2', false],
  [null, false],
])('takes %j of an answer: %s', (value, want) => {
  expect(isTypeVersion(value)).toBe(want);
});
