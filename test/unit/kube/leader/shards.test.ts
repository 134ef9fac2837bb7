import { expect, it } from 'vitest';
import { shardOf } from '../../../../src/kube/leader/shards.ts';

it.each([
  ['fl-acme-5f3c', 1, 0],
  ['fl-acme-5f3c', 4, 2],
  ['fl-globex-91d0', 7, 1],
])('%s is in the same shard of %i in every version', (namespace, shards, shard) => {
  expect(shardOf(namespace, shards)).toBe(shard);
});

it('divides 10,000 namespaces evenly', () => {
  const shards = 16;
  const counts = Array.from({ length: shards }, () => 0);
  for (let at = 0; at < 10_000; at += 1) {
    const shard = shardOf(`fl-org-${at.toString(16)}`, shards);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  const even = 10_000 / shards;
  for (const count of counts) expect(Math.abs(count - even) / even).toBeLessThan(0.2);
});
