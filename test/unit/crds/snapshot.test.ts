// The definitions of the recorded snapshot and of this checkout accept the same values in the fields that both have: an upgrade refuses
// no stored object, and after a rollback every object is valid again, without the fields that are new. Until a release has been
// cut, whoever changes them records the snapshot again.
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { definitions } from '../../support/releases/definitions.ts';
import { readSnapshot } from '../../support/releases/snapshot.ts';

const before = readSnapshot()?.definitions ?? {};
const present = definitions();

/** Differences of a field, with the reason why stored objects stay valid. */
const explained: Readonly<Record<string, string>> = {};

const nested = ['properties', 'items', 'additionalProperties'];

/** @returns every difference that is not an added optional field */
function* differences(old: JsonObject, now: JsonObject, path: string): Iterable<string> {
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [left, right] = [old[keyword], now[keyword]];
    if (nested.includes(keyword) && isJsonObject(left) && isJsonObject(right)) {
      yield* keyword === 'properties'
        ? differencesOfFields(left, right, path)
        : differences(left, right, `${path}[]`);
    } else if (JSON.stringify(left) !== JSON.stringify(right)) {
      yield `${path} ${keyword}: ${JSON.stringify(left)} → ${JSON.stringify(right)}`;
    }
  }
}

function* differencesOfFields(old: JsonObject, now: JsonObject, path: string): Iterable<string> {
  for (const [name, left] of Object.entries(old)) {
    const right: JsonValue | undefined = now[name];
    if (isJsonObject(left) && isJsonObject(right)) {
      yield* differences(left, right, `${path}.${name}`);
    } else {
      yield `${path}.${name} is missing`;
    }
  }
}

it('has the kinds of the snapshot', () => {
  expect(Object.keys(present).sort()).toEqual(Object.keys(before).sort());
});

it.each(Object.keys(before))(
  'accepts the stored objects of the snapshot, and the other way round: %s',
  (kind) => {
    const [old, now] = [before[kind], present[kind]];
    expect(now?.scope).toBe(old?.scope);
    expect(now?.selectableFields).toEqual(
      expect.arrayContaining([...(old?.selectableFields ?? [])]),
    );
    const found = [...differences(old?.schema ?? {}, now?.schema ?? {}, kind)];
    const isExplained = (text: string) => Object.hasOwn(explained, text.split(':')[0] ?? '');
    expect(found.filter((text) => !isExplained(text))).toEqual([]);
  },
);
