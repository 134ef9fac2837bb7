// The version of its type that a config has which names none.
import { expect, it } from 'vitest';
import { fittingVersion } from '../../../../src/domain/schemas/fitting-version.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

/** Schemas that ignore what they do not know, as those of `z.object`. */
const open = (...names: readonly string[]): JsonObject => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
});
const type = {
  schema: open('gib', 'zone'),
  typeVersion: 3,
  earlierVersions: [
    { typeVersion: 1, schema: open('size', 'zone') },
    { typeVersion: 2, schema: open('gb', 'zone') },
  ],
};

interface Row {
  readonly reason: string;
  readonly config: JsonObject;
  /** Versions whose schemas it fits. */
  readonly fits: readonly number[];
  /** Versions whose defaults would change a field that cannot change. */
  readonly changing?: readonly number[];
  readonly want: number | undefined;
}

const rows: readonly Row[] = [
  { reason: 'the newest that it fits', config: { gib: 1 }, fits: [1, 2, 3], want: 3 },
  {
    reason: 'an earlier one, where the newest refuses it',
    config: { gb: 1 },
    fits: [1, 2],
    want: 2,
  },
  { reason: 'the one that knows its names', config: { size: 1 }, fits: [1, 2], want: 1 },
  {
    reason: 'none, with a name that only the newest has',
    config: { gib: 'x' },
    fits: [1, 2],
    want: undefined,
  },
  {
    reason: 'none, with a name that is a typo',
    config: { gibb: 1 },
    fits: [1, 2],
    want: undefined,
  },
  {
    reason: 'an earlier one with an old name beside a strange one',
    config: { gb: 1, x: 1 },
    fits: [2],
    want: 2,
  },
  { reason: 'none, when it fits none', config: { gb: 1 }, fits: [], want: undefined },
  {
    reason: 'the one before, where the newest means another zone',
    config: { zone: 1 },
    fits: [1, 2, 3],
    changing: [3],
    want: 2,
  },
  {
    reason: 'the newest, where each means another zone',
    config: { zone: 1 },
    fits: [1, 2, 3],
    changing: [1, 2, 3],
    want: 3,
  },
];

it.each(rows)('is $reason', async ({ config, fits, changing = [], want }) => {
  const found = await fittingVersion(type, {
    ...{ config, from: 3 },
    fits: ({ typeVersion }) => Promise.resolve(fits.includes(typeVersion)),
    changedByDefault: (version) => Promise.resolve(changing.includes(version) ? [['zone']] : []),
  });
  expect(found?.version).toBe(want);
  expect(found?.keeps ?? []).toEqual(changing.length > 0 && want !== 3 ? [['zone']] : []);
});
