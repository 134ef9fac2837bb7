// What viewers do not see of a record: null in the place of secrets, and their paths.
import { expect, it } from 'vitest';
import { marksSecrets, withoutSecrets } from '../../../src/domain/hidden.ts';
import type { JsonObject } from '../../../src/domain/json.ts';

const secret = { type: 'string', sensitive: true };
const schema: JsonObject = {
  type: 'object',
  properties: {
    password: secret,
    users: { type: 'array', items: { properties: { 'a/b~c': { writeOnly: true } } } },
    size: { type: 'integer' },
  },
};

interface Case {
  readonly reason: string;
  readonly schema: JsonObject | undefined;
  readonly config: JsonObject;
  readonly outputs?: JsonObject;
  readonly want: { config: JsonObject; outputs?: JsonObject; masked: readonly string[] };
}

const cases: Record<string, Case> = {
  'hides marked values, and names them': {
    reason: 'the rest stays readable',
    schema,
    config: { password: 'hunter2', users: [{ 'a/b~c': 1, name: 'ada' }], size: 3 },
    want: {
      config: { password: null, users: [{ 'a/b~c': null, name: 'ada' }], size: 3 },
      masked: ['/config/password', '/config/users/0/a~1b~0c'],
    },
  },
  'hides a marked value that is null': {
    reason: 'null in the record must not show that there is no secret',
    schema,
    config: { password: null },
    want: { config: { password: null }, masked: ['/config/password'] },
  },
  'hides outputs in the place of a marked field': {
    reason: 'a provider returns the password that it made up under the name of the field',
    schema,
    config: {},
    outputs: { password: 'made-up', host: 'db' },
    want: { config: {}, outputs: { password: null, host: 'db' }, masked: ['/outputs/password'] },
  },
  'hides outputs that contain a secret of the config': {
    reason: 'connection strings contain the password, encoded',
    schema,
    config: { password: 'p@ss word' },
    outputs: { url: 'postgres://a:p%40ss%20word@db', list: ['p@ss word', 'x'] },
    want: {
      config: { password: null },
      outputs: { url: null, list: [null, 'x'] },
      masked: ['/config/password', '/outputs/url', '/outputs/list/0'],
    },
  },
  'hides nothing of a type that marks nothing': {
    reason: 'most types',
    schema: { type: 'object' },
    config: { password: 'visible' },
    want: { config: { password: 'visible' }, masked: [] },
  },
  'hides everything of an unknown type': {
    reason: 'its secrets are unknown',
    schema: undefined,
    config: { a: { b: 1 } },
    outputs: { c: 1 },
    want: { config: { a: null }, outputs: { c: null }, masked: ['/config/a', '/outputs/c'] },
  },
  'hides a config with too many secrets whole': {
    reason: 'the paths would be longer than the record',
    schema: { properties: { users: { items: secret } } },
    config: { users: Array.from({ length: 300 }, () => 'x') },
    want: { config: {}, masked: ['/config'] },
  },
  'hides outputs whole that take too many comparisons': {
    reason: 'secrets times texts may be an attack',
    schema: { properties: { users: { items: secret } } },
    config: { users: Array.from({ length: 150 }, (_, n) => `secret-${n}`) },
    outputs: Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`o${n}`, 'text'])),
    want: {
      config: { users: Array.from({ length: 150 }, () => null) },
      outputs: {},
      masked: [...Array.from({ length: 150 }, (_, n) => `/config/users/${n}`), '/outputs'],
    },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, schema: given, want, ...contents }) => {
  const { config, outputs = {} } = contents;
  const expected = { outputs, ...want };
  expect(withoutSecrets({ config, outputs }, given), reason).toEqual(expected);
});

it('returns the same objects when nothing is marked, so that a list costs nothing', () => {
  const contents = { config: { a: 1 }, outputs: {} };
  expect(withoutSecrets(contents, { type: 'object' }).config).toBe(contents.config);
});

it.each([
  [{ properties: { a: { allOf: [{ format: 'password' }] } } }, true],
  [{ $defs: { a: { writeOnly: true } } }, true],
  [{ properties: { writeOnly: { type: 'boolean' } } }, false],
] as const)('finds marks anywhere in %j: %s', (given, marked) => {
  expect(marksSecrets(given)).toBe(marked);
});
