// Runs an informer of ConfigMaps behind a fault proxy and a client around it, and checks after every fault: do the cache
// and the notifications of the informer match the server again, with exactly one watch?
import { expect } from 'vitest';
import type { Informer, KindRef, KubeObject } from '../../../src/kube/api.ts';
import { keyFor } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { createInformer, type InformerOptions } from '../../../src/kube/informer/informer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { eventually } from '../runner/eventually.ts';
import { type Asked, type FaultProxy, startFaultProxy } from './fault-proxy.ts';

export const configMaps: KindRef = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export interface InformerBehindProxy {
  readonly informer: Informer<ConfigMap>;
  readonly proxy: FaultProxy;
  /** Bypasses the proxy. */
  readonly direct: StreamingClient;
  /** Creates or changes it, bypassing the proxy. */
  write(name: string): Promise<ConfigMap>;
  remove(name: string): Promise<void>;
  /** The last version of each object that handlers received; undefined after a deletion. */
  readonly received: ReadonlyMap<string, string | undefined>;
  /** The number of requests for this kind that the proxy saw. */
  count(verb: Asked['verb']): number;
  /** The number of lists, however many pages each has. */
  lists(): number;
  /** Waits until cache, handlers and a fresh list agree, and one watch is open. */
  holdsTheTruth(): Promise<void>;
  stop(): Promise<void>;
}

let edits = 0;

export async function informerBehindProxy(
  kubeconfig: string,
  options: Partial<InformerOptions> = {},
): Promise<InformerBehindProxy> {
  const proxy = await startFaultProxy(kubeconfig);
  const direct = createKubeClient(loadCluster({ kubeconfig }));
  const client = createKubeClient(loadCluster({ kubeconfig: proxy.kubeconfig }));
  const informer = createInformer<ConfigMap>({
    client,
    kind: configMaps,
    log: silentLog,
    clock: systemClock,
    random: Math.random,
    backoffMs: 50,
    ...options,
  });
  const received = new Map<string, string | undefined>();
  informer.onChange((key) => {
    const version = informer.get(key)?.metadata.resourceVersion;
    if (version === undefined) received.delete(key);
    else received.set(key, version);
  });

  async function fresh(): Promise<Record<string, string | undefined>> {
    const { items } = await direct.list<ConfigMap>(configMaps);
    return Object.fromEntries(
      items.map(({ metadata }) => [keyFor(metadata), metadata.resourceVersion]),
    );
  }

  function cached(): Record<string, string | undefined> {
    return Object.fromEntries(
      [...informer.items()].map(({ metadata }) => [keyFor(metadata), metadata.resourceVersion]),
    );
  }

  return {
    informer,
    proxy,
    direct,
    received,
    async write(name) {
      edits += 1;
      const ref = { name, namespace: 'default' };
      const data = { edit: String(edits) };
      try {
        return await direct.patch<ConfigMap>(configMaps, ref, { data });
      } catch (thrown) {
        if (!hasReason(thrown, 'notFound')) throw thrown;
        return await direct.create<ConfigMap>(configMaps, { metadata: ref, data });
      }
    },
    async remove(name) {
      await direct.delete(configMaps, { name, namespace: 'default' });
    },
    count: (verb) =>
      proxy.asked.filter((asked) => asked.plural === 'configmaps' && asked.verb === verb).length,
    lists: () =>
      proxy.asked.filter(({ plural, begins }) => plural === 'configmaps' && begins).length,
    holdsTheTruth: () =>
      eventually(async () => {
        const truth = await fresh();
        expect(cached()).toEqual(truth);
        expect(Object.fromEntries(received)).toEqual(truth);
        expect(proxy.openWatches('configmaps')).toBe(1);
      }),
    async stop() {
      await informer.stop();
      await client.close();
      await direct.close();
      await proxy.stop();
    },
  };
}
