import { expect, it } from 'vitest';
import { nothingRecorded } from '../../../../src/domain/secrets/resource-secrets.ts';
import { configOnly } from '../../../../src/domain/secrets/type-schemas.ts';
import { changesBetween } from '../../../../src/store/resources/history/changes.ts';
import { historyEntry } from '../../../../src/store/resources/history/contents.ts';
import { markOf } from '../../../../src/store/resources/history/mark.ts';
import { dataOf, entriesIn } from '../../../../src/store/resources/history/slots.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

function entryOf(typeVersion: number | undefined, revision = 1) {
  const resource = aResource();
  const { spec } = resource;
  const judged = { spec, schemas: configOnly({}), secrets: nothingRecorded, typeVersion };
  return historyEntry({ ...markOf(resource), revision }, judged);
}

it.each([[1], [2], [undefined]])('keeps the version of a type with the content: %s', (version) => {
  const entry = entryOf(version);
  expect(entriesIn(dataOf(entry))[0]?.content).toMatchObject(entry.content ?? {});
});

it('stores nothing for the first version, as before types had versions', () => {
  expect(entryOf(1).content).not.toHaveProperty('typeVersion');
});

it('shows another version as a change of its own', () => {
  const [one, two] = [entryOf(1, 1), entryOf(2, 2)];
  expect(changesBetween({ ...one, maskedThen: [] }, two)).toEqual([
    { path: '/type_version', change: 'changed', before: 1, after: 2 },
  ]);
  expect(one.hash).not.toBe(two.hash);
});
