import { expect, it } from 'vitest';
import { guardChanged } from '../../../../src/reconcilers/organization/guard-watch.ts';

const quota = {
  metadata: { name: 'fairlead', namespace: 'fl-acme', labels: { a: 'b' }, resourceVersion: '1' },
  spec: { hard: { pods: '20' } },
};

it.each<[string, typeof quota | undefined, object | undefined, boolean]>([
  ['was added', undefined, quota, true],
  ['was removed', quota, undefined, true],
  ['has another spec', quota, { ...quota, spec: { hard: { pods: '99' } } }, true],
  ['lost a label', quota, { ...quota, metadata: { ...quota.metadata, labels: {} } }, true],
  ['was used', quota, { ...quota, status: { used: { pods: '3' } } }, false],
])('reconciles a guard that %s', (_what, before, after, want) => {
  expect(guardChanged(before, after as typeof quota | undefined)).toBe(want);
});
