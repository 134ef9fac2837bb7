// Dead letters in a real API server that no controller looks at: what is written, in which order, whatever is not answered.

import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { type Organization, organizationOf } from '../../../src/domain/identity.ts';
import { type KubeObject, keyFor, type ObjectRef } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import {
  type DeadLetter,
  type DeadLetterObject,
  fromConfigMap,
  type StoredDeadLetter,
  toConfigMap,
} from '../../../src/store/dead-letters/object.ts';
import { requeue } from '../../../src/store/dead-letters/requeue.ts';
import {
  createDeadLetterStore,
  type DeadLetterStore,
} from '../../../src/store/dead-letters/store.ts';
import {
  annotation,
  configMapKind,
  kinds,
  label,
  namespaceKind,
} from '../../../src/store/kinds.ts';
import { forEachConcurrently } from '../../../src/store/parallel.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/faults/fault-proxy.ts';
import {
  aDeadLetter,
  failedResource,
} from '../../support/fixtures/dead-letters/failed-resources.ts';
import { installDefinitions } from '../../support/fixtures/install-definitions.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let proxy: FaultProxy;
let client: StreamingClient;
/** Through the proxy. */
let disturbed: StreamingClient;
let store: DeadLetterStore;
const taken: (() => void)[] = [];

beforeAll(async () => {
  const { kubeconfig } = sharedControlPlane();
  proxy = await startFaultProxy(kubeconfig);
  client = createKubeClient(loadCluster({ kubeconfig }));
  disturbed = createKubeClient(loadCluster({ kubeconfig: proxy.kubeconfig }));
  await installDefinitions(client);
  store = createDeadLetterStore({
    client,
    resources: { get: () => undefined },
  });
}, 120_000);

afterEach(() => {
  for (const takeBack of taken.splice(0)) takeBack();
});

afterAll(async () => {
  await disturbed?.close();
  await client?.close();
  await proxy?.stop();
});

async function anOrganization(): Promise<Organization> {
  const organization = organizationOf('https://issuer.test', `letters-${randomUUID()}`);
  await client.create<KubeObject>(namespaceKind, { metadata: { name: organization.namespace } });
  return organization;
}

function idOf(text: string): string {
  return `evt-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** The first write of a kind meets with this. */
function once(method: string, plural: string, fault: Fault): void {
  let met = false;
  const rule = proxy.rule((asked) => {
    if (met || asked.method !== method || asked.plural !== plural) return undefined;
    met = true;
    return fault;
  });
  taken.push(rule);
}

const refTo = ({ eventId, resource }: DeadLetter): ObjectRef & { namespace: string } => ({
  namespace: resource.namespace,
  name: eventId,
});

async function storedOf(deadLetter: DeadLetter): Promise<StoredDeadLetter> {
  const found = fromConfigMap(await client.get<DeadLetterObject>(configMapKind, refTo(deadLetter)));
  if (found === undefined) throw new Error('There is no letter');
  return found;
}

const isThere = (deadLetter: DeadLetter) =>
  client.get(configMapKind, refTo(deadLetter)).then(
    () => true,
    () => false,
  );

async function markOf({ resource }: DeadLetter): Promise<string | undefined> {
  const { metadata } = await client.get<Resource>(kinds.resource, resource);
  return metadata.annotations?.[annotation.requeue];
}

async function failed(): Promise<DeadLetter> {
  return await failedResource(client, await anOrganization(), {
    provider: 'box',
    resourceName: 'orders',
  });
}

describe('writing a letter', () => {
  it('twice keeps the later one', async () => {
    const deadLetter = aDeadLetter(await anOrganization(), idOf('twice'));
    await store.write(deadLetter);
    const { uid } = await storedOf(deadLetter);
    await store.write({ ...deadLetter, attemptCount: 6 });
    expect(await storedOf(deadLetter)).toMatchObject({ attemptCount: 6 });
    expect((await storedOf(deadLetter)).uid).not.toBe(uid);
  });

  it('keeps an existing immutable one', async () => {
    const deadLetter = aDeadLetter(await anOrganization(), idOf('fixed'));
    await store.write(deadLetter);
    const change = client.patch(configMapKind, refTo(deadLetter), {
      data: { error_code: 'OTHER' },
    });
    await expect(change).rejects.toThrow();
  });

  it.each<[string, string, (text: string) => void]>([
    ['endless', 'x'.repeat(5_000_000), (text) => expect(Buffer.byteLength(text)).toBe(4_096)],
    ['of wide characters', '€😀'.repeat(2_000), (text) => expect(text.isWellFormed()).toBe(true)],
    ['cut in two', 'broken \ud83d', (text) => expect(text).toBe('broken \ufffd')],
    ['colourful', '\u001b[31mred\u001b[0m\u0000!', (text) => expect(text).toBe('red !')],
  ])('makes an error that is %s printable', async (name, errorMessage, check) => {
    const deadLetter = aDeadLetter(await anOrganization(), idOf(name), { errorMessage });
    await store.write(deadLetter);
    const { errorMessage: text } = await storedOf(deadLetter);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    check(text);
  });

  it.each<[number, object]>([
    [16_000, { name: 'orders' }],
    [17_000, { name: 'orders', config: null, omitted: ['config'] }],
  ])('keeps as much of a config of %i bytes as fits', async (bytes, expected) => {
    const payload = { name: 'orders', config: { text: 'x'.repeat(bytes) } };
    const deadLetter = aDeadLetter(await anOrganization(), idOf(`${bytes}`), { payload });
    await store.write(deadLetter);
    expect((await storedOf(deadLetter)).payload).toMatchObject(expected);
  });

  it('is repeated after a create of unknown outcome', async () => {
    const deadLetter = aDeadLetter(await anOrganization(), idOf('unheard'));
    const writing = createDeadLetterStore({
      client: disturbed,
      resources: { get: () => undefined },
    });
    once('POST', 'configmaps', 'drop reply');
    await expect(writing.write(deadLetter)).rejects.toThrow();
    await writing.write(deadLetter);
    expect(await isThere(deadLetter)).toBe(true);
  });
});

describe('a requeue', () => {
  it('marks the resource and removes the letter', async () => {
    const deadLetter = await failed();
    expect(await requeue(client, await storedOf(deadLetter))).toBe('requeued');
    expect(await markOf(deadLetter)).toBe(`${deadLetter.eventId}/1`);
    expect(await isThere(deadLetter)).toBe(false);
  });

  it.each<[string, string, string, Fault]>([
    ['mark was lost on its way', 'PATCH', 'resources', 'reset'],
    ['mark was written unheard', 'PATCH', 'resources', 'drop reply'],
    ['mark met another write', 'PATCH', 'resources', { answer: 409, body: { reason: 'Conflict' } }],
    ['delete was lost on its way', 'DELETE', 'configmaps', 'reset'],
    ['delete was done unheard', 'DELETE', 'configmaps', 'drop reply'],
  ])('is applied once when its %s', async (_name, method, plural, fault) => {
    const deadLetter = await failed();
    const stored = await storedOf(deadLetter);
    once(method, plural, fault);
    expect(await requeue(disturbed, stored)).toBe('requeued');
    expect(await markOf(deadLetter)).toBe(`${deadLetter.eventId}/1`);
    expect(await isThere(deadLetter)).toBe(false);
  });

  it('continues after a crash of another', async () => {
    const deadLetter = await failed();
    const annotations = { [annotation.requeue]: `${deadLetter.eventId}/1` };
    await client.patch(kinds.resource, deadLetter.resource, { metadata: { annotations } });
    expect(await requeue(client, await storedOf(deadLetter))).toBe('requeued');
    expect(await markOf(deadLetter)).toBe(`${deadLetter.eventId}/1`);
    expect(await isThere(deadLetter)).toBe(false);
  });

  it('of a missing letter is reported', async () => {
    const deadLetter = await failed();
    const stored = await storedOf(deadLetter);
    await client.delete(configMapKind, refTo(deadLetter));
    expect(await requeue(client, stored)).toBe('gone');
  });

  it('keeps the letter of a later failure', async () => {
    const deadLetter = await failed();
    const stored = await storedOf(deadLetter);
    await store.write(deadLetter);
    expect(await requeue(client, stored)).toBe('requeued');
    expect(await isThere(deadLetter)).toBe(true);
  });

  it('of a superseded failure writes nothing', async () => {
    const deadLetter = await failed();
    await client.patch(kinds.resource, deadLetter.resource, { spec: { config: { size: 2 } } });
    expect(await requeue(client, await storedOf(deadLetter))).toBe('superseded');
    expect(await markOf(deadLetter)).toBeUndefined();
    expect(await isThere(deadLetter)).toBe(true);
  });
});

describe('many dead letters in one organization', () => {
  // More than two pages of the API server.
  const many = 1_100;
  let organization: Organization;
  let live: DeadLetter;

  beforeAll(async () => {
    organization = await anOrganization();
    live = await failedResource(client, organization, {
      provider: 'bag',
      resourceName: 'live',
      failedAt: new Date(0),
    });
    const numbers = Array.from({ length: many - 1 }, (_, index) => index);
    await forEachConcurrently(numbers, 16, async (index) => {
      const errorMessage =
        index % 4 === 0 ? `FULL: disk ${index}` : `REFUSED: connect to 10.0.0.${index % 200}:5432`;
      const changes = { errorMessage, failedAt: new Date(1_000 * (index + 1)) };
      await client.create(
        configMapKind,
        toConfigMap(aDeadLetter(organization, idOf(`${index}`), changes)),
      );
    });
  }, 120_000);

  it('are paged, grouped, counted and deleted', async () => {
    const resource = await client.get<Resource>(kinds.resource, live.resource);
    const key = keyFor(live.resource);
    const resources = { get: (asked: string) => (asked === key ? resource : undefined) };
    const deadLetters = createDeadLetterStore({ client, resources });

    const first = await deadLetters.list(organization, { limit: 600 });
    expect(first.records.length).toBe(600);
    const next = await deadLetters.list(organization, { limit: 600, cursor: first.next });
    expect(next.next).toBeUndefined();
    const listed = [...first.records, ...next.records];
    const ids = listed.map(({ eventId }) => eventId);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(many);
    const present = listed.filter(({ superseded }) => !superseded);
    expect(present.map(({ eventId }) => eventId)).toEqual([live.eventId]);

    const causes = await deadLetters.causes(organization, {});
    expect(causes.map(({ count, errorMessage }) => [count, errorMessage])).toEqual([
      [824, 'REFUSED: connect to <address>'],
      [275, 'FULL: disk <n>'],
      [1, 'REFUSED: connect to <address>'],
    ]);

    expect(await deadLetters.retryAll(organization, {})).toBe(1);
    const { namespace } = organization;
    const redrives = { namespace, labelSelector: `${label.redrive}=true` };
    expect((await client.list(configMapKind, redrives)).items.length).toBe(1);

    expect(await deadLetters.removeAll(organization, { provider: 'box' })).toBe(many - 1);
    const left = await deadLetters.list(organization, {});
    expect(left.records.map(({ eventId }) => eventId)).toEqual([live.eventId]);
  }, 120_000);
});
