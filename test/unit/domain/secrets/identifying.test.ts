// The outputs that are kept where users without permission for passwords can read them.
import { describe, expect, it } from 'vitest';
import { identifying } from '../../../../src/domain/secrets/identifying.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const masked = '[masked]';

const cases: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'keeps ids, names and places': [
    {
      id: 'i-1',
      instanceId: 'i-2',
      vpc_ids: ['a', 'b'],
      bucketName: 'x',
      port: 5432,
      zone: 'eu-1',
    },
    {
      id: 'i-1',
      instanceId: 'i-2',
      vpc_ids: ['a', 'b'],
      bucketName: 'x',
      port: 5432,
      zone: 'eu-1',
    },
  ],
  'masks passwords and unknown fields': [
    { password: 'hunter22', dsn: 'x', value: 1, key: 'k', nested: { secret: 's', host: 'db1' } },
    {
      password: masked,
      dsn: masked,
      value: masked,
      key: masked,
      nested: { secret: masked, host: 'db1' },
    },
  ],
  'masks fields with a secret in their name, whatever the last word': [
    { secret_id: 's', tokenName: 't', private_user: 'p', credentials: { id: 'c' } },
    { secret_id: masked, tokenName: masked, private_user: masked, credentials: masked },
  ],
  'keeps only the origin of a URL': [
    {
      url: 'postgres://orders:hunter22@db1:5432/orders?sslkey=x',
      endpoint: 'https://hooks.example/T0/s3cr3t',
    },
    { url: 'postgres://db1:5432', endpoint: 'https://hooks.example' },
  ],
  'masks a connection string in an identifying field': [
    { address: 'orders:hunter22@db1', host: 'host=db1 password=hunter22', name: 'x'.repeat(257) },
    { address: masked, host: masked, name: masked },
  ],
  'checks lists in identifying fields only': [
    { hosts: [{ name: 'a', password: 'p' }], users: ['u'], list: [{ id: 'i' }] },
    { hosts: [{ name: 'a', password: masked }], users: ['u'], list: masked },
  ],
};

describe('of outputs', () => {
  it.each(Object.entries(cases))('%s', (_name, [outputs, kept]) => {
    expect(identifying(outputs)).toEqual(kept);
  });
});
