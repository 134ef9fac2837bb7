// The authority of an installation on a real API server: made once, read by every controller, replaced with an overlap.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Authorities, openAuthorities } from '../../src/app/keys/authorities.ts';
import { fingerprintOf } from '../../src/domain/providers/serving-certificate.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { authoritiesName } from '../../src/store/authorities.ts';
import { configMapKind, namespaceKind, secretKind } from '../../src/store/kinds.ts';
import { systemKeys } from '../../src/store/system.ts';
import { clientWithCrds } from '../support/clients/shared-client.ts';
import { eventually } from '../support/runner/eventually.ts';

const client = clientWithCrds();
let namespace: string;
let opened: Authorities[];
let inUse: Set<string>;
let passedMs: number;

beforeEach(async () => {
  namespace = `authorities-${randomUUID().slice(0, 8)}`;
  await client.create<KubeObject>(namespaceKind, { metadata: { name: namespace } });
  opened = [];
  inUse = new Set();
  passedMs = 0;
});
afterEach(async () => {
  for (const each of opened) each.stop();
  await client.delete(namespaceKind, { name: namespace });
});

async function open(lookMs = 50): Promise<Authorities> {
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
  const deps = { client, clock, log: silentLog, namespace, inUse: () => inUse, lookMs };
  const made = await openAuthorities(deps);
  opened.push(made);
  return made;
}

const secret = () => ({ namespace, name: systemKeys.authority });
const fingerprints = ({ trusted }: Authorities) => trusted.map(fingerprintOf).sort();

it('is made once by processes that start together', async () => {
  const all = await Promise.all([open(), open(), open()]);
  expect(new Set(all.map(({ signing }) => signing)).size).toBe(1);
  for (const each of all) expect(fingerprints(each)).toEqual([each.signing]);
  expect(await client.get(secretKind, secret())).toMatchObject({ type: 'Opaque', immutable: true });
});

it('is replaced with an overlap: trusted by all before it signs, and the old one while pods have certificates of it', async () => {
  const [first, second] = [await open(), await open(1_000_000)];
  const old = first.signing;
  inUse.add(old);
  let changes = 0;
  first.onChange(() => {
    changes += 1;
  });
  await client.delete(secretKind, secret());
  await eventually(() => expect(first.trusted).toHaveLength(2));
  expect(first.signing, 'Others may not have read it yet').toBe(old);
  await eventually(() => expect(first.signing).not.toBe(old));
  expect(changes).toBe(1);
  expect(fingerprints(first)).toEqual([old, first.signing].sort());
  const third = await open();
  expect(third.signing).toBe(first.signing);
  expect(fingerprints(third)).toEqual(fingerprints(first));
  expect(second.signing, 'It has not looked yet').toBe(old);
  // The last pod with a certificate of the old one ends.
  inUse.delete(old);
  const unchanged = first.trusted;
  passedMs = 30_000;
  const { data } = await client.get<KubeObject & { data: object }>(configMapKind, {
    namespace,
    name: authoritiesName,
  });
  expect(Object.values(data).join('')).toBe(unchanged.join(''));
  await eventually(() => {
    passedMs += 30_000;
    expect(fingerprints(first)).toEqual([first.signing]);
  });
});

it('is replaced at once when the list of trusted ones is deleted, too', async () => {
  const only = await open();
  const old = only.signing;
  inUse.add(old);
  await client.delete(secretKind, secret());
  await client.delete(configMapKind, { namespace, name: authoritiesName });
  await eventually(() => expect(only.signing).not.toBe(old));
  await eventually(() => expect(fingerprints(only)).toEqual([only.signing]));
});

it('ignores what people write between the certificates', async () => {
  const only = await open();
  const text = '-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n';
  const patch = { data: { 'ca.crt': text } };
  await client.patch(configMapKind, { namespace, name: authoritiesName }, patch);
  await eventually(async () => {
    const found = await client.get(configMapKind, { namespace, name: authoritiesName });
    expect(found).toMatchObject({ data: { 'ca.crt': only.trusted.join('') } });
  });
  expect(fingerprints(only)).toEqual([only.signing]);
});
