// The two writes of settings, interleaved with a crash and with another writer at the worst moments, on a real API server.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { kinds, namespaceKind, secretKind } from '../../../src/store/kinds.ts';
import { createSettingsStore, type PlanSettings } from '../../../src/store/providers/settings.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { Dead, dyingClient } from '../../support/faults/dying-client.ts';

const organization = organizationOf('https://issuer.test', `settings-${randomUUID()}`);
const { namespace } = organization;
const client = clientWithCrds();
const storeOver = (over: KubeClient) => createSettingsStore({ client: over, clock: systemClock });

beforeAll(async () => {
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});

const set =
  (value: string): PlanSettings =>
  () =>
    Promise.resolve({
      set: [{ name: 'region', sensitive: false, value, text: value }],
      remove: [],
      hide: [],
      by: { subject: 'ann', name: undefined },
    });

async function held(provider: string) {
  const { spec } = await client.get<Provider>(kinds.provider, { namespace, name: provider });
  const name = spec.settings?.secret ?? '';
  const { data = {} } = await client.get<KubeObject & { data?: Record<string, string> }>(
    secretKind,
    { namespace, name },
  );
  return {
    recorded: spec.settings?.values['region'],
    stored: Buffer.from(data['region'] ?? '', 'base64').toString(),
  };
}

it.each([1, 2, 3, 4])('after a crash at write %i the request can be sent again', async (last) => {
  const name = `crash-${last}`;
  // Patch of a Secret that does not exist yet, then its creation, between creation and replacement of the Provider.
  const dying = dyingClient(client, last);
  const first = storeOver(dying.client).write(organization, name, set('here'));
  await first.catch((thrown: unknown) => expect(thrown).toBeInstanceOf(Dead));
  await storeOver(client).write(organization, name, set('there'));
  expect(await held(name)).toEqual({ recorded: 'there', stored: 'there' });
});

it('has the values of the last record, when another writer comes between Secret and record', async () => {
  await storeOver(client).write(organization, 'race', set('before'));
  let raced = false;
  const slow: KubeClient = {
    ...client,
    replace: async (kind, object, options) => {
      if (!raced) {
        raced = true;
        await storeOver(client).write(organization, 'race', set('other'));
      }
      return await client.replace(kind, object, options);
    },
  };
  await storeOver(slow).write(organization, 'race', set('mine'));
  expect(await held('race')).toEqual({ recorded: 'mine', stored: 'mine' });
});

it('writes nothing when the plain values are too large for the Provider', async () => {
  const { writes, client: recorded } = dyingClient(client, 0);
  // Each is below the limit of one value, and all are below that of the Secret.
  const values = Array.from({ length: 5 }, (_, index) => ({
    name: `s${index}`,
    text: '<'.repeat(60_000),
  }));
  const plan: PlanSettings = async (record) => ({
    ...(await set('here')(record)),
    set: values.map(({ name, text }) => ({ name, sensitive: false, value: text, text })),
  });
  const refused = { code: 'too_large', message: expect.stringContaining('settings of large') };
  for (const call of ['write', 'preview'] as const) {
    const asked = storeOver(recorded)[call](organization, 'large', plan);
    await expect(asked).rejects.toMatchObject(refused);
  }
  expect(writes).toEqual([]);
});

it('does not adopt the Secret of a deleted Provider of the same name', async () => {
  const { ownSecret: before } = await storeOver(client).write(organization, 'again', set('old'));
  await client.delete(kinds.provider, { namespace, name: 'again' });
  const { ownSecret: after } = await storeOver(client).write(organization, 'again', set('new'));
  expect(after).not.toBe(before);
  expect(await held('again')).toEqual({ recorded: 'new', stored: 'new' });
});
