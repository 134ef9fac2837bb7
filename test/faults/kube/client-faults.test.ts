// The client on a real API server through a fault proxy: the number of its connections, its errors for writes without a response,
// its retries, and requests that it never sends.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { type ConfigMap, configMaps } from '../../support/faults/informer-behind-proxy.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const ref = { namespace: 'default', name: 'written' };
const never = new Promise(() => undefined);

let proxy: FaultProxy;
let client: StreamingClient;
let direct: StreamingClient;

beforeEach(async () => {
  const { kubeconfig } = sharedControlPlane();
  proxy = await startFaultProxy(kubeconfig);
  client = createKubeClient(loadCluster({ kubeconfig: proxy.kubeconfig }));
  direct = createKubeClient(loadCluster({ kubeconfig }));
  await direct.create(configMaps, { metadata: ref });
});
afterEach(async () => {
  await direct.delete(configMaps, ref);
  await Promise.all([client.close(), direct.close()]);
  await proxy.stop();
});

/** @returns how many requests met the fault */
function meet(fault: Fault, { times = Number.POSITIVE_INFINITY } = {}): () => number {
  let met = 0;
  proxy.rule(() => {
    if (met === times) return undefined;
    met += 1;
    return fault;
  });
  return () => met;
}

async function errorOf(promise: Promise<unknown>): Promise<KubeError> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (thrown instanceof KubeError) return thrown;
  throw new Error('expected a KubeError', { cause: thrown });
}

const write = (options = {}) =>
  client.patch<ConfigMap>(configMaps, ref, { data: { by: 'us' } }, options);
const written = async () => (await direct.get<ConfigMap>(configMaps, ref)).data?.['by'] === 'us';

describe('connections', () => {
  it('are few for many concurrent requests', async () => {
    const gets = Array.from({ length: 300 }, () =>
      client.get(configMaps, ref, { timeoutMs: 60_000 }),
    );
    await Promise.all(gets);
    expect(proxy.asked.length).toBe(300);
    expect(proxy.connections.peak).toBeLessThanOrEqual(32);
  });

  it('of aborted watches are closed', async () => {
    const stopping = new AbortController();
    const watch = await client.watch(configMaps, { query: {} }, stopping.signal);
    watch.on('error', () => undefined);
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(1));
    stopping.abort();
    await eventually(() => expect(proxy.connections.open).toBe(0));
  });
});

describe('a write without a response', () => {
  it('has an unknown outcome when it was applied', async () => {
    const met = meet('drop reply');
    expect(await errorOf(write())).toMatchObject({ reason: 'unavailable', outcome: 'unknown' });
    expect(await written()).toBe(true);
    expect(met()).toBe(1);
  });

  it('has an unknown outcome when it was not applied', async () => {
    const met = meet('reset');
    expect(await errorOf(write())).toMatchObject({ reason: 'unavailable', outcome: 'unknown' });
    expect(await written()).toBe(false);
    expect(met()).toBe(1);
  });

  it('has an unknown outcome after a timeout', async () => {
    meet({ holdUntil: never });
    const error = await errorOf(write({ timeoutMs: 200 }));
    expect(error).toMatchObject({ reason: 'timeout', outcome: 'unknown' });
  });

  it('has an unknown outcome when it was aborted, for any reason', async () => {
    const met = meet({ holdUntil: never });
    const stopping = new AbortController();
    const error = errorOf(write({ signal: stopping.signal }));
    await eventually(() => expect(met()).toBe(1));
    stopping.abort(new KubeError({ reason: 'aborted', message: 'lost', outcome: 'refused' }));
    expect(await error).toMatchObject({ reason: 'aborted', outcome: 'unknown' });
  });

  it('has a known outcome when it was aborted before it was sent', async () => {
    const error = await errorOf(write({ signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ reason: 'aborted', outcome: 'refused' });
    expect(proxy.asked).toEqual([]);
  });

  it('has a known outcome when the connection is refused', async () => {
    await proxy.stop();
    expect(await errorOf(write())).toMatchObject({ reason: 'unavailable', outcome: 'refused' });
  });
});

describe('an error response', () => {
  it.each([
    [401, 'unauthorized', 'refused'],
    [403, 'forbidden', 'refused'],
    [409, 'conflict', 'refused'],
    [500, 'unavailable', 'unknown'],
    [503, 'unavailable', 'unknown'],
  ] as const)(
    'to a write with %i is %s, its outcome %s, and it is not repeated',
    async (status, reason, outcome) => {
      const met = meet({ answer: status });
      expect(await errorOf(write())).toMatchObject({ status, reason, outcome });
      expect(met()).toBe(1);
    },
  );

  it('to a read never has an unknown outcome', async () => {
    meet({ answer: 503 });
    expect(await errorOf(client.get(configMaps, ref))).toMatchObject({ outcome: 'refused' });
  });

  it('with 429 is retried after the delay of the server', async () => {
    const met = meet({ answer: 429, retryAfterSeconds: 1 }, { times: 1 });
    const began = performance.now();
    await write();
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(met()).toBe(1);
  });

  it('with 429 is not retried beyond the timeout of the request', async () => {
    meet({ answer: 429, retryAfterSeconds: 3 });
    const began = performance.now();
    const error = await errorOf(write({ timeoutMs: 500 }));
    expect(error).toMatchObject({ reason: 'tooManyRequests', outcome: 'refused' });
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

describe('a read', () => {
  it('is retried once when its connection breaks', async () => {
    const met = meet('reset', { times: 1 });
    await client.get(configMaps, ref);
    expect(met()).toBe(1);
    expect(proxy.asked.length).toBe(2);
  });

  it('is not retried a second time', async () => {
    const met = meet('reset');
    expect(await errorOf(client.get(configMaps, ref))).toMatchObject({ reason: 'unavailable' });
    expect(met()).toBe(2);
  });
});

describe('an invalid name', () => {
  const names = [
    '',
    '.',
    '..',
    '../pods',
    'a/b',
    'a\\b',
    '%2e',
    '%2e%2e%2f',
    'a?b',
    'a#b',
    'a b',
    'a\nb',
    'a\0b',
    'ä',
    'a..b',
    'a'.repeat(300),
  ];

  it.each(names)('is never sent to the server: %j', async (name) => {
    const object = { metadata: { name, namespace: 'default', resourceVersion: '1' } };
    const given = { name, namespace: 'default' };
    const calls = [
      client.get(configMaps, given),
      client.delete(configMaps, given),
      client.patch(configMaps, given, {}),
      client.apply(configMaps, object, { fieldManager: 'test' }),
      client.replace(configMaps, object),
      client.replaceStatus(configMaps, { ...object, status: {} }),
      client.get(configMaps, { name: 'fine', namespace: name }),
      client.list(configMaps, { namespace: name }),
      client.create(configMaps, { metadata: { name: 'fine', namespace: name } }),
    ].map(async (call) => (await errorOf(call)).reason);
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['badRequest']));
    expect(proxy.asked).toEqual([]);
  });
});
