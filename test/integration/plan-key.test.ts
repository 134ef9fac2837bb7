// The key of the digests of plans on a real API server: made once by controllers, read by the API, never made by it.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepPlanKey, planKeyReader } from '../../src/app/keys/plan-key.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { namespaceKind, secretKind } from '../../src/store/kinds.ts';
import { systemKeys } from '../../src/store/system.ts';
import { clientWithCrds } from '../support/clients/shared-client.ts';

const client = clientWithCrds();
let namespace: string;
let passedMs: number;

beforeEach(async () => {
  namespace = `plan-key-${randomUUID().slice(0, 8)}`;
  await client.create<KubeObject>(namespaceKind, { metadata: { name: namespace } });
  passedMs = 0;
});
afterEach(async () => {
  await client.delete(namespaceKind, { name: namespace });
});

const clock = { ...systemClock, monotonic: () => passedMs };
const reader = () => {
  const read = planKeyReader({ client, clock, namespace });
  return async () => (await read()).export();
};
const secret = () => ({ namespace, name: systemKeys.plans });

const message =
  'The key of plans is missing or cannot be read. A controller creates it when it starts: try again, and if that does not help, delete the Secret fairlead-plan-key and restart the controllers';

it('is the same for all replicas, whoever made it', async () => {
  await Promise.all([1, 2, 3].map(() => keepPlanKey({ client, namespace })));
  const [one, other] = await Promise.all([reader()(), reader()()]);
  expect(one).toHaveLength(32);
  expect(other).toEqual(one);
  expect(await client.get(secretKind, secret())).toMatchObject({ type: 'Opaque', immutable: true });
});

it('makes plans unavailable, and not the API, until a controller has made it', async () => {
  const read = reader();
  await expect(read()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5, message });
  await keepPlanKey({ client, namespace });
  expect(await read()).toHaveLength(32);
});

it('is read again after a minute, so that one that was replaced is in force everywhere', async () => {
  await keepPlanKey({ client, namespace });
  const read = reader();
  const old = await read();
  await client.delete(secretKind, secret());
  await keepPlanKey({ client, namespace });
  expect(await read()).toEqual(old);
  passedMs = 60_000;
  const replaced = await read();
  expect(replaced).not.toEqual(old);
  expect(await reader()()).toEqual(replaced);
});

it('is not accepted in another form', async () => {
  const stringData = { 'key.json': JSON.stringify({ secret: 'c2hvcnQ=' }) };
  await client.create<KubeObject>(secretKind, { metadata: secret(), stringData } as KubeObject);
  await expect(reader()()).rejects.toMatchObject({ code: 'unavailable', message });
});
