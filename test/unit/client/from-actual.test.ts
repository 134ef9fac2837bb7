// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
import { describe, expect, it } from 'vitest';
import type { Drift } from '../../../src/client/drift.ts';
import { configFromActual, insteadText } from '../../../src/client/from-actual.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';

const change = (path: string, declared: JsonValue, actual: JsonValue) => ({
  ...{ path, declared, actual },
});
const driftOf = (...changes: Drift['changes']): Drift => ({
  since: '2026-01-31T12:00:00.000Z',
  kind: 'changed',
  changes,
  total: changes.length,
  compared: 10,
  unknown: 1,
});
const reference = '${pg/role/seller.outputs.name}';
const recordOf = (
  config: JsonObject,
  more: Partial<Parameters<typeof configFromActual>[0]> = {},
) => ({
  ...{ provider: 'pg', resource: 'db', name: 'a', config },
  ...{ lifecycle_state: 'ready' as const, deletion_requested_at: null, ...more },
});

describe('a config that declares what is there', () => {
  it.each<[string, JsonObject, Drift['changes'], JsonObject]>([
    ['a value', { size: 1, name: 'a' }, [change('/size', 1, 2)], { size: 2, name: 'a' }],
    [
      'values at any depth, in their order',
      { b: { list: [{ x: 1 }, { x: 2 }] }, a: true },
      [change('/b/list/1/x', 2, null), change('/a', true, false)],
      { b: { list: [{ x: 1 }, { x: null }] }, a: false },
    ],
    ['a whole list', { tags: ['a'] }, [change('/tags', ['a'], ['a', 'b'])], { tags: ['a', 'b'] }],
    ['a name with signs', { 'a/b~c': 1 }, [change('/a~1b~0c', 1, 2)], { 'a/b~c': 2 }],
    [
      'a value beside a reference',
      { owner: reference, size: 1 },
      [change('/size', 1, 2)],
      { owner: reference, size: 2 },
    ],
    [
      'a text that is no reference',
      { home: '${HOME}' },
      [change('/home', '${HOME}', '${TMP}')],
      { home: '${TMP}' },
    ],
    [
      'what looks like a reference, as a text',
      { note: `$${reference}`, size: 1 },
      [change('/note', reference, [`see ${reference}`]), change('/size', 1, 2)],
      { note: [`see $${reference}`], size: 2 },
    ],
  ])('has %s', (_, config, changes, want) => {
    const made = configFromActual(recordOf(config), driftOf(...changes));
    expect(JSON.stringify(made)).toBe(JSON.stringify({ config: want }));
  });

  it('keeps a member named __proto__, and sets no prototype', () => {
    const config = JSON.parse('{"__proto__": {"a": 1}, "size": 1}') as JsonObject;
    const made = configFromActual(recordOf(config), driftOf(change('/__proto__/a', 1, 2)));
    expect(JSON.stringify(made)).toBe('{"config":{"__proto__":{"a":2},"size":1}}');
  });

  it.each<[string, JsonObject, Drift, readonly string[], RegExp]>([
    ['the object is gone', {}, { ...driftOf(), kind: 'gone' }, [], /a does not exist any more/],
    [
      'more values differ than are recorded',
      { size: 1 },
      { ...driftOf(change('/size', 1, 2)), total: 51 },
      [],
      /differs in 51 values, of which only 1 are recorded$/,
    ],
    [
      'a value is not recorded',
      { size: 1, key: 'a' },
      driftOf(change('/size', 1, 2), { path: '/key', declared: null, actual: null, omitted: true }),
      ['/key'],
      /contain a secret, or are too long to be recorded$/,
    ],
    [
      'a reference stands there',
      { owner: `of ${reference}`, size: 1 },
      driftOf(change('/owner', 'of seller', 'of buyer'), change('/size', 1, 2)),
      ['/owner'],
      /values that references declare/,
    ],
    [
      'a reference stands below',
      { owner: { name: reference } },
      driftOf(change('/owner', { name: 'seller' }, 'buyer')),
      ['/owner'],
      /values that references declare/,
    ],
    [
      'a reference stands for all of it',
      { owner: reference },
      driftOf(change('/owner/name', 'seller', 'buyer')),
      ['/owner/name'],
      /values that references declare/,
    ],
    [
      'the config was changed since',
      { size: 3 },
      driftOf(change('/size', 1, 2)),
      ['/size'],
      /has changed since these values were compared$/,
    ],
    [
      'the config has the value no more',
      {},
      driftOf(change('/size', null, 2)),
      ['/size'],
      /has changed since these values were compared$/,
    ],
  ])('is refused when %s', (_, config, drift, paths, reason) => {
    expect(configFromActual(recordOf(config), drift)).toMatchObject({
      undeclarable: { reason: expect.stringMatching(reason), paths },
    });
  });

  it.each([
    ['is being deleted', { deletion_requested_at: '2026-01-31T12:00:00.000Z' }],
    ['is not ready', { lifecycle_state: 'processing' as const }],
  ])('is refused for a resource that %s', (reason, more) => {
    const made = configFromActual(recordOf({ size: 1 }, more), driftOf(change('/size', 1, 2)));
    expect(made).toMatchObject({ undeclarable: { reason: expect.stringContaining(reason) } });
  });
});

it('says what can be done instead, with commands where there are some', () => {
  const undeclarable = { instead: ['edit', 'correct'] as const };
  expect([
    insteadText(undeclarable),
    insteadText(undeclarable, (verb) => `fairlead ${verb} a`),
    insteadText({ instead: [] }),
  ]).toEqual([
    'Declare them by hand, or correct the object.',
    'Declare them by hand: fairlead edit a, or correct the object: fairlead correct a',
    '',
  ]);
});
