import { describe, expect, it } from 'vitest';
import {
  settingsIn,
  settingsProblem,
  settingText,
  settingValue,
} from '../../../../src/domain/schemas/setting-schema.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';

const of = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const first = (schema: JsonObject, more: JsonObject = {}) =>
  settingsIn(of({ it: schema }, more))[0];

describe('a schema of settings', () => {
  const cases: Record<string, readonly [schema: JsonObject, problem: string | undefined]> = {
    'is an object with named properties': [of({ url: { type: 'string' } }), undefined],
    'may have no properties': [of({}), undefined],
    'is no union': [{ anyOf: [of({})] }, 'z.object'],
    'is no record': [{ type: 'object', additionalProperties: {} }, 'z.object'],
    'has names that are files': [of({ '../url': {} }), '"../url" is not a valid name'],
    'has no hidden names': [of({ '.dockerconfigjson': {} }), 'is not a valid name'],
    'has at most a hundred': [
      of(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`s${n}`, {}]))),
      'more than 100',
    ],
  };
  it.each(Object.entries(cases))('%s', (_name, [schema, problem]) => {
    if (problem === undefined) expect(settingsProblem(schema)).toBeUndefined();
    else expect(settingsProblem(schema)).toContain(problem);
  });

  it('requires what has no default', () => {
    const schema = of({ url: {}, region: { default: 'here' } }, { required: ['url'] });
    expect(settingsIn(schema).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['region', false],
      ['url', true],
    ]);
  });
});

describe('a setting is sensitive', () => {
  const text = { type: 'string' };
  const secret = { type: 'string', sensitive: true };
  const cases: Record<
    string,
    readonly [schema: JsonObject, sensitive: boolean, more?: JsonObject]
  > = {
    'not by itself': [text, false],
    'when it is marked': [secret, true],
    'with writeOnly': [{ ...text, writeOnly: true }, true],
    'as a password': [{ ...text, format: 'password' }, true],
    'when a member is': [of({ user: text, password: secret }), true],
    'when an item is': [{ type: 'array', items: secret }, true],
    'when a branch is': [{ anyOf: [{ type: 'null' }, secret] }, true],
    'when a definition is': [{ $ref: '#/$defs/key' }, true, { $defs: { key: secret } }],
    'not for another definition': [
      { $ref: '#/$defs/name' },
      false,
      { $defs: { key: secret, name: text } },
    ],
    'with a cycle in a definition': [
      { $ref: '#/$defs/tree' },
      false,
      { $defs: { tree: of({ next: { $ref: '#/$defs/tree' } }) } },
    ],
    'when its definition is unknown': [{ $ref: 'https://example.org/key' }, true],
  };
  it.each(Object.entries(cases))('%s', (_name, [schema, sensitive, more]) => {
    expect(first(schema, more)?.isSensitive).toBe(sensitive);
  });
});

describe('the stored form', () => {
  const text: JsonObject = { type: 'string' };
  const either: JsonObject = { anyOf: [{ type: 'string' }, { type: 'number' }] };
  const cases: readonly (readonly [schema: JsonObject, value: JsonValue, stored: string])[] = [
    [text, 'postgresql://a', 'postgresql://a'],
    [text, '12', '12'],
    [text, '', ''],
    [{ type: 'string', enum: ['a', 'b'] }, 'a', 'a'],
    [
      {
        anyOf: [
          { type: 'string', const: 'a' },
          { type: 'string', const: 'b' },
        ],
      },
      'b',
      'b',
    ],
    [{ type: 'integer' }, 12, '12'],
    [{ type: 'boolean' }, false, 'false'],
    [{ type: 'object' }, { a: [1] }, '{"a":[1]}'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 'null'],
    [either, '12', '"12"'],
    [either, 12, '12'],
    [{}, 'true', '"true"'],
  ];
  it.each(cases)('of %j: %j is %j', (schema, value, stored) => {
    const setting = first(schema) ?? { isText: false };
    expect(settingText(setting, value)).toBe(stored);
    expect(settingValue(setting, stored)).toEqual(value);
  });

  it('that others wrote may be plain text where a text may stand', () => {
    expect(settingValue(first(either) ?? { isText: true }, 'not JSON')).toBe('not JSON');
  });
});
