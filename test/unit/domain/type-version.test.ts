import { expect, it } from 'vitest';
import {
  earlierVersionsBody,
  typeVersionsIn,
  versionsProblem,
} from '../../../src/domain/type-version.ts';

const schema = { type: 'object' } as const;
const earlier = (...versions: readonly number[]) =>
  versions.map((type_version) => ({ type_version, schema }));

it('keeps what a type declares, in both forms', () => {
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
  expect(earlierVersionsBody(declared)).toEqual(body.earlier_versions);
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
