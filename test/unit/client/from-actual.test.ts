// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
import { describe, expect, it } from 'vitest';
import type { DriftRecord } from '../../../src/client/drift-look.ts';
import { configFromActual } from '../../../src/client/from-actual.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';

const change = (path: string, declared: JsonValue, actual: JsonValue) => ({
  ...{ path, declared, actual },
});
const driftOf = (...changes: DriftRecord['changes']): DriftRecord => ({
  since: '2026-01-31T12:00:00.000Z',
  kind: 'changed',
  changes,
  total: changes.length,
  compared: 10,
  unknown: 1,
});
const reference = '${pg/role/seller.outputs.name}';

describe('a config that declares what is there', () => {
  it.each<[string, JsonObject, DriftRecord['changes'], JsonObject]>([
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
      {
        home: '${TMP}',
      },
    ],
  ])('has %s', (_, config, changes, want) => {
    const made = configFromActual(config, driftOf(...changes));
    expect(JSON.stringify(made)).toBe(JSON.stringify({ config: want }));
  });

  it('keeps a member named __proto__, and sets no prototype', () => {
    const config = JSON.parse('{"__proto__": {"a": 1}, "size": 1}') as JsonObject;
    const made = configFromActual(config, driftOf(change('/__proto__/a', 1, 2)));
    expect(JSON.stringify(made)).toBe('{"config":{"__proto__":{"a":2},"size":1}}');
  });

  it.each<[string, JsonObject, DriftRecord, RegExp]>([
    ['the object is gone', {}, { ...driftOf(), kind: 'gone' }, /^There is nothing to declare/],
    [
      'more values differ than are recorded',
      { size: 1 },
      { ...driftOf(change('/size', 1, 2)), total: 51 },
      /^Only 1 of 51 values/,
    ],
    [
      'a value is not recorded',
      { size: 1, key: 'a' },
      driftOf(change('/size', 1, 2), { path: '/key', declared: null, actual: null, omitted: true }),
      /contain a secret, or are too long to be recorded: \/key\. Declare/,
    ],
    [
      'a reference stands there',
      { owner: `of ${reference}` },
      driftOf(change('/owner', 'of seller', 'of buyer')),
      /takes these values from other resources: \/owner\./,
    ],
    [
      'a reference stands below',
      { owner: { name: reference } },
      driftOf(change('/owner', { name: 'seller' }, 'buyer')),
      /takes these values from other resources: \/owner\./,
    ],
    [
      'a reference stands for all of it',
      { owner: reference },
      driftOf(change('/owner/name', 'seller', 'buyer')),
      /takes these values from other resources: \/owner\/name\./,
    ],
    [
      'the config was changed since',
      { size: 3 },
      driftOf(change('/size', 1, 2)),
      /has changed since these values were compared: \/size\./,
    ],
    [
      'the config has the value no more',
      {},
      driftOf(change('/size', null, 2)),
      /has changed since these values were compared: \/size\./,
    ],
    [
      'what is there reads as a reference',
      { owner: 'a' },
      driftOf(change('/owner', 'a', [reference])),
      /would be read as references: \/owner\./,
    ],
  ])('is refused when %s', (_, config, drift, sentence) => {
    expect(configFromActual(config, drift)).toEqual({ refusal: expect.stringMatching(sentence) });
  });
});
