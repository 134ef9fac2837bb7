import { expect, it } from 'vitest';
import { createUnblamedEnds } from '../../../../src/reconcilers/crashes/unblamed-ends.ts';
import type { Pod } from '../../../../src/reconcilers/workloads.ts';

it('counts each end of a process in a pod once', () => {
  const seen: [string, number][] = [];
  const report = createUnblamedEnds((provider, ends) => seen.push([provider, ends]));
  const provider = 'fl-acme/box';
  const pod = (uid: string, restartCount = 0): Pod => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: uid, uid } },
    status: { containerStatuses: [{ name: 'provider', restartCount }] },
  });
  for (const [of, count] of [
    [pod('one'), 2],
    [pod('one'), 2],
    [pod('two'), 1],
    [pod('one'), 5],
    // An answer that was sent before the last one.
    [pod('one'), 3],
    [pod('one'), 5],
    [pod('one', 1), 1],
    // The restart is not seen yet: it is counted once it is.
    [pod('two'), 1],
    [pod('two', 1), 1],
    [undefined, 9],
  ] as const) {
    report({ provider, pod: of, count });
  }
  expect(seen.map(([, ends]) => ends)).toEqual([2, 1, 3, 1, 1]);
});
