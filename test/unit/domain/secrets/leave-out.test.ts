// Configs and outputs without their secrets: a masked value would be taken for a declared one.
import { expect, it } from 'vitest';
import { withoutSecretMembers } from '../../../../src/domain/secrets/leave-out.ts';
import { typeSchemas } from '../../../../src/domain/secrets/type-schemas.ts';

const schemas = typeSchemas({
  schema: {
    properties: {
      password: { writeOnly: true },
      users: { items: { properties: { token: { sensitive: true } } } },
      keys: { items: { format: 'password' } },
    },
  },
  outputsSchema: { properties: { secret: { writeOnly: true } } },
  adoptSchema: { properties: { pin: { sensitive: true } } },
});

it('removes what the schemas mark, and texts that contain it', () => {
  const contents = {
    config: {
      name: 'orders',
      password: 'hunter2-canary',
      users: [{ id: 1, token: 'token-canary' }, { id: 2 }],
      keys: ['key-canary', 'other-canary'],
      empty: null,
    },
    outputs: { host: 'db1', secret: 'x-canary', url: 'postgres://a:hunter2-canary@db1' },
  };
  const left = withoutSecretMembers({ ...contents, adopt: { id: 1, pin: 'canary-pin' } }, schemas);
  expect(left).toEqual({
    adopt: { id: 1 },
    config: { name: 'orders', users: [{ id: 1 }, { id: 2 }], keys: [], empty: null },
    outputs: { host: 'db1' },
  });
  expect(JSON.stringify(left)).not.toContain('canary');
});

it('leaves nothing of an unknown type', () => {
  const contents = { config: { a: 1 }, outputs: { b: [2] } };
  expect(withoutSecretMembers(contents, undefined)).toEqual({ config: {}, outputs: {} });
});
