import { expect, it } from 'vitest';
import { createUnblamedEnds } from '../../../../src/reconcilers/crashes/unblamed-ends.ts';

it('counts each end of a process in a pod once', () => {
  const seen: [string, number][] = [];
  const report = createUnblamedEnds((provider, ends) => seen.push([provider, ends]));
  const provider = 'fl-acme/box';
  for (const [pod, count] of [
    ['one', 2],
    ['one', 2],
    ['two', 1],
    ['one', 5],
    // Its container was restarted.
    ['one', 1],
    [undefined, 9],
  ] as const) {
    report({ provider, pod, count });
  }
  expect(seen.map(([, ends]) => ends)).toEqual([2, 1, 3, 1]);
});
