// A version of a provider that lacks a type of the version before: over HTTP, with the controller, against a real API server. Nothing
// runs; the test makes pods ready.
import { expect, it } from 'vitest';
import { crate, deployedCode, sized } from '../../support/fixtures/code/deployed-code.ts';

const { admin: acme, built, deploy, serves, commit, typesOf } = deployedCode('retired-types');
const seen = { resource: 'crate', description: 'A crate', observe: true };
const barrel = { resource: 'barrel', description: 'A barrel', retry: { attempts: 3 } };

it('refuses to drop a type with resources, then retires it, and brings it back', async () => {
  const both = await built('shop', [...crate(), barrel]);
  await deploy('shop');
  await serves('shop', both);
  expect((await commit('shop', 'first')).status).toBe(200);
  const one = await built('shop', [{ ...barrel, retry: { maxDelaySeconds: 9 } }]);
  const refused = {
    status: 409,
    body: {
      detail: `Version ${one} of shop lacks type crate, which has 1 resource`,
      code: 'type_in_use',
      context: { types: ['crate'], resource_count: 1, resources: ['shop/crate/first'] },
    },
  };
  expect(await deploy('shop')).toMatchObject(refused);
  expect(await deploy('shop', {}, '?dry_run=true')).toMatchObject(refused);
  expect((await deploy('shop', { retire_types: true })).status).toBe(200);

  expect(await typesOf('shop'), 'until the version takes over').toMatchObject([
    { resource: 'barrel', retired: false, retry: { attempts: 3 } },
    { resource: 'crate', retired: false },
  ]);
  expect((await commit('shop', 'second')).status).toBe(200);
  await serves('shop', one);
  expect(await typesOf('shop')).toMatchObject([
    { resource: 'barrel', retired: false, retry: { max_delay_seconds: 9 } },
    { resource: 'crate', retired: true, retry: null },
  ]);
  const changed = await commit('shop', 'third');
  expect(changed).toMatchObject({
    status: 422,
    body: {
      code: 'type_retired',
      detail: [{ loc: ['body', 'resource'], type: 'type_retired' }],
      context: { version: one, retired_at: expect.stringMatching(/^\d{4}-/) },
    },
  });
  expect(changed.text).toContain(
    `Type shop/crate is retired: version ${one} of the provider, which has served since `,
  );
  expect((await acme.get('/resources/shop/crate/first')).status).toBe(200);
  // Nobody is refused again for what was accepted.
  expect((await deploy('shop', { version: one })).status).toBe(200);
  const another = await built('shop', [barrel]);
  expect((await deploy('shop', { version: another }, '?dry_run=true')).status).toBe(200);

  expect((await deploy('shop', { version: both })).status).toBe(200);
  await serves('shop', both);
  expect(await typesOf('shop')).toMatchObject([{ retired: false }, { retired: false }]);
  expect((await commit('shop', 'third')).status).toBe(200);
});

it('looks at no object of a type that it lacks, and says so', async () => {
  const both = await built('sight', [seen, barrel]);
  await deploy('sight');
  await serves('sight', both);
  const only = {
    provider: 'sight',
    resource: 'crate',
    name: 'first',
    management: 'observed',
    config: {},
  };
  const read = await acme.post('/resources/apply', { ...only, lifecycle_state: 'pending' });
  expect(read.status, read.text).toBe(200);
  expect((await acme.post('/resources/sight/crate/first/observe', {})).status).toBe(200);
  const one = await built('sight', [barrel]);
  await deploy('sight', { retire_types: true });
  await serves('sight', one);
  expect(await acme.post('/resources/sight/crate/first/observe', {})).toMatchObject({
    status: 409,
    body: {
      code: 'not_observable',
      detail: expect.stringMatching(`^Type sight/crate is retired: version ${one} .* lacks it`),
    },
  });
});

it('forgets a type without resources with the version that lacks it', async () => {
  const both = await built('store', [...crate(sized('size')), barrel]);
  await deploy('store');
  await serves('store', both);
  const one = await built('store', [barrel]);
  expect((await deploy('store')).status).toBe(200);
  await serves('store', one);
  await expect.poll(() => typesOf('store')).toMatchObject([{ resource: 'barrel' }]);
});
