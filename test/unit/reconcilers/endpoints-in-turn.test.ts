// How events are divided among the pods of one provider.
import { expect, it } from 'vitest';
import { createEndpoints } from '../../../src/reconcilers/endpoints.ts';
import {
  aProvider,
  aServingPod,
  namespace,
  version,
} from '../../support/fixtures/workloads/workload-builders.ts';

const pods = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((podIP) =>
  aServingPod({ metadata: { name: podIP }, status: { podIP } }),
);
const provider = aProvider({ spec: { version }, status: { deployedVersion: version } });

function endpoints() {
  return createEndpoints({
    providers: { get: () => provider },
    pods: { items: () => pods },
    clock: { now: () => new Date('2026-01-01T00:01:00Z') },
  });
}

it('gives one event after the other to each pod in turn', async () => {
  const { find, during } = endpoints();
  const sent: string[] = [];
  // Every pod is idle at every choice.
  for (let times = 0; times < 6; times += 1) {
    const url = find(namespace, 'shop') ?? '';
    sent.push(url);
    await during(url, () => Promise.resolve());
  }
  expect(new Set(sent.slice(0, 3)).size).toBe(3);
  expect(sent.slice(3)).toEqual(sent.slice(0, 3));
});

it('gives as many events to each pod when many are sent at once', async () => {
  const { find, during } = endpoints();
  const answered = Promise.withResolvers<void>();
  const sent = new Map<string, number>();
  const sending = Array.from({ length: 30 }, () => {
    const url = find(namespace, 'shop') ?? '';
    sent.set(url, (sent.get(url) ?? 0) + 1);
    return during(url, () => answered.promise);
  });
  expect([...sent.values()]).toEqual([10, 10, 10]);
  answered.resolve();
  await Promise.all(sending);
});

it('gives the events of one key to one pod, whatever it does, and those of many keys to all', () => {
  const { find, during } = endpoints();
  const keys = Array.from({ length: 60 }, (_, index) => `key-${index}`);
  const first = keys.map((key) => find(namespace, 'shop', key));
  for (const url of first) void during(url ?? '', () => new Promise(() => undefined));
  expect(keys.map((key) => find(namespace, 'shop', key))).toEqual(first);
  for (const { metadata } of pods) {
    const share = first.filter((url) => url?.includes(metadata.name ?? '')).length;
    expect(share).toBeGreaterThan(10);
  }
});

it('returns the result of the work', async () => {
  expect(await endpoints().during('http://x/', () => Promise.resolve(7))).toBe(7);
});
