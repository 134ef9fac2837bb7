// What the compiler accepts and refuses of a test: `npm run verify` checks it, and nothing runs it.
import { gone, type Provider, provider, z } from '../../../../src/sdk/index.ts';
import { testKit } from '../../../../src/sdk/testing/index.ts';

const storage = provider('storage', {
  settings: z.object({ url: z.url(), region: z.string().default('eu') }),
});
const handlers = {
  outputs: z.object({}),
  create: () => ({}),
  update: () => ({}),
  delete: () => undefined,
};
const bucket = storage.resource('bucket', {
  ...handlers,
  description: 'A bucket',
  config: z.strictObject({ tier: z.enum(['hot', 'cold']), sizeGb: z.int().default(1) }),
  identity: { schema: z.strictObject({ id: z.string() }), of: () => ({ id: '' }) },
  observe: () => gone(),
});
const key = storage.resource('key', {
  ...handlers,
  description: 'A key',
  config: z.object({ bucket: z.string() }),
});
const declared = storage.types(bucket, key);

const kit = await testKit(declared, { settings: { url: 'http://localhost' } });
const logs = kit.resource('bucket', 'logs');
await logs.apply({ tier: 'hot' });
await logs.apply({ size: 1 }, { typeVersion: 1 });
await logs.apply({ tier: 'hot', sizeGb: 2 }, { replace: true });
await logs.adopt({ id: 'b-1' }, { tier: 'cold' });
await kit.resource('key', 'first').apply({ bucket: 'logs' });
const [found] = await kit.list('bucket');
found?.adopt.id.at(0);
await kit.contract('bucket', { config: { tier: 'hot' }, changed: { tier: 'cold' } });

// @ts-expect-error the url is missing
await testKit(declared, { settings: { region: 'eu' } });
// @ts-expect-error the region is a text
await testKit(declared, { settings: { url: 'http://localhost', region: 1 } });
// @ts-expect-error no such type
kit.resource('buckets', 'logs');
// @ts-expect-error the bucket has no such tier
await logs.apply({ tier: 'warm' });
// @ts-expect-error the bucket has no such field
await logs.apply({ tier: 'hot', size: 1 });
// @ts-expect-error the tier is missing
await logs.apply({}, { replace: true });
// @ts-expect-error the config is that of a bucket
await kit.resource('key', 'first').apply({ tier: 'hot' });
// @ts-expect-error the identity of a bucket is its id
await logs.adopt({ name: 'b-1' }, { tier: 'cold' });
// @ts-expect-error the bucket has no such tier
await kit.contract('bucket', { config: { tier: 'hot' }, changed: { tier: 'warm' } });
// @ts-expect-error no such type
await kit.contract('buckets', { config: { tier: 'hot' } });

const any = await testKit(declared as Provider, { settings: { anything: 1 } });
await any.resource('thing', 'first').apply({ any: 'config' });
