// Objects that wait for a provider are woken only when it gets its first endpoint or loses its last one.
import { expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { watchCache } from '../../../src/kube/controller.ts';
import { createEndpointChanges } from '../../../src/reconcilers/endpoint-changes.ts';
import { createEndpoints } from '../../../src/reconcilers/endpoints.ts';
import type { Pod } from '../../../src/reconcilers/workloads.ts';
import { label } from '../../../src/store/kinds.ts';
import { now } from '../../support/fixtures/builders.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';
import {
  aPod,
  aProvider,
  aServingPod,
  certified,
  namespace,
  version,
} from '../../support/fixtures/workloads/workload-builders.ts';

const shop = aProvider({ spec: { version }, status: { deployedVersion: version } });
const unready = [{ type: 'Ready', status: 'False' }];
const crashing = (restartCount: number) =>
  aServingPod({
    status: { conditions: unready, containerStatuses: [{ name: 'provider', restartCount }] },
  });

function following(...providers: readonly Provider[]) {
  const caches = { providers: objectCache(...providers), pods: objectCache<Pod>() };
  const woken: string[] = [];
  let time = now;
  const clock = { now: () => time };
  const changes = createEndpointChanges(
    createEndpoints({ ...caches, clock }),
    (where, provider) => [`${where}/${provider}`],
    clock,
  );
  const wake = (keys: Iterable<string>) => woken.push(...keys);
  watchCache(caches.providers, changes.ofProvider).subscribe(wake);
  watchCache(caches.pods, changes.ofPod).subscribe(wake);
  const taken = () => woken.splice(0);
  const setTime = (to: Date) => {
    time = to;
  };
  return { ...caches, taken, setTime };
}

const theShop = `${namespace}/shop`;

it('triggers nothing while pods crash, whatever their status', () => {
  const { pods, taken } = following(shop);
  for (let restarts = 0; restarts < 100; restarts += 1) pods.put(crashing(restarts));
  pods.remove(`${namespace}/provider-shop-1`);
  expect(taken()).toEqual([]);
});

it('triggers once when a pod becomes ready, and once when none is ready any more', () => {
  const { pods, taken } = following(shop);
  pods.put(crashing(1));
  pods.put(aServingPod());
  expect(taken()).toEqual([theShop]);
  pods.put(aServingPod({ metadata: { name: 'provider-shop-2' }, status: { podIP: '10.0.0.2' } }));
  pods.put(crashing(2));
  expect(taken()).toEqual([]);
  pods.remove(`${namespace}/provider-shop-2`);
  expect(taken()).toEqual([theShop]);
});

it('triggers when a pod replaces one whose certificate has expired, which is no event', () => {
  const { pods, taken, setTime } = following(shop);
  const until = (name: string, expiresAt: Date) =>
    aServingPod({ metadata: { name, annotations: certified(expiresAt.toISOString()) } });
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
  pods.put(until('provider-shop-1', after(60)));
  expect(taken()).toEqual([theShop]);
  setTime(after(61));
  pods.put(until('provider-shop-2', after(600)));
  expect(taken()).toEqual([theShop]);
  pods.remove(`${namespace}/provider-shop-1`);
  expect(taken()).toEqual([]);
});

it('triggers when the endpoint of the provider changes', () => {
  const { providers, taken } = following();
  providers.put(aProvider({ spec: { endpoint: 'http://10.0.0.9:8080/' } }));
  expect(taken()).toEqual([theShop]);
  providers.put(
    aProvider({ spec: { endpoint: 'http://10.0.0.9:8080/' }, metadata: { resourceVersion: '2' } }),
  );
  expect(taken()).toEqual([]);
  providers.remove(theShop);
  expect(taken()).toEqual([theShop]);
});

it('triggers when the first version takes over', () => {
  const { providers, pods, taken } = following(aProvider({ spec: { version } }));
  pods.put(aServingPod());
  expect(taken()).toEqual([]);
  providers.put(aProvider({ spec: { version }, status: { deployedVersion: version } }));
  expect(taken()).toEqual([theShop]);
});

it('checks both names of a pod whose labels changed', () => {
  const { pods, taken } = following(
    shop,
    aProvider({
      metadata: { name: 'bank' },
      spec: { provider: 'bank', version },
      status: { deployedVersion: version },
    }),
  );
  pods.put(aServingPod());
  expect(taken()).toEqual([theShop]);
  pods.put(
    aServingPod({ metadata: { labels: { [label.provider]: 'bank', [label.version]: version } } }),
  );
  expect(taken().sort()).toEqual([`${namespace}/bank`, theShop]);
});

it('ignores pods of builds', () => {
  const { pods, taken } = following(shop);
  pods.put(
    aPod({ status: { podIP: '10.0.0.3', conditions: [{ type: 'Ready', status: 'True' }] } }),
  );
  expect(taken()).toEqual([]);
});
