// Only a pass that fails repeatedly in the same way marks its object as stalled.
import { expect, it } from 'vitest';
import { FairleadError } from '../../../src/domain/errors.ts';
import { type Stall, settled } from '../../../src/kube/api.ts';
import { KubeError, type KubeErrorInit } from '../../../src/kube/errors.ts';
import { createRepeats } from '../../../src/kube/stall.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { controllerOf, never } from '../../support/servers/controllers/controller-under-test.ts';

const refused = (more: Partial<KubeErrorInit> = {}) =>
  new KubeError({ reason: 'forbidden', message: 'no', ...more });
const times = (count: number, thrown: unknown) => Array.from({ length: count }, () => thrown);

const cases: Record<string, [thrown: readonly unknown[], want: object | undefined]> = {
  'nothing of four equal failures': [times(4, refused()), undefined],
  'the fifth equal failure': [times(5, refused()), { reason: 'Forbidden', failures: 5 }],
  'the sixth too': [times(6, refused()), { failures: 6 }],
  'numbers that differ as equal': [
    [1, 2, 3, 4, 5].map((used) => refused({ message: `used: ${used}` })),
    { reason: 'Forbidden' },
  ],
  'nothing of failures that differ': [
    [...times(4, refused()), refused({ message: 'other' })],
    undefined,
  ],
  'nothing of what passes by itself': [
    times(9, new KubeError({ reason: 'unavailable', message: 'no' })),
    undefined,
  ],
  'nothing of lost races': [
    times(9, new KubeError({ reason: 'conflict', message: 'no' })),
    undefined,
  ],
  'nothing of a sandbox that is busy': [
    times(9, new FairleadError('unavailable', 'busy')),
    undefined,
  ],
  'a full quota in its own words': [
    times(5, refused({ detail: 'quotaExceeded', message: 'exceeded quota: fairlead' })),
    { reason: 'QuotaExceeded', message: expect.stringContaining('exceeded quota: fairlead') },
  ],
  'a namespace that goes in its own words': [
    times(5, refused({ detail: 'namespaceTerminating' })),
    { reason: 'NamespaceTerminating' },
  ],
  'no value that the API server repeats': [
    times(5, new KubeError({ reason: 'invalid', message: 'Invalid value: "s3cr3t"' })),
    { reason: 'Invalid', message: expect.not.stringContaining('s3cr3t') },
  ],
  'no message of a bug': [
    times(5, new TypeError('cannot read s3cr3t')),
    { reason: 'ReconcileFailed', message: expect.not.stringContaining('s3cr3t') },
  ],
};

it.each(Object.entries(cases))('reports %s', (_name, [thrown, want]) => {
  const repeats = createRepeats();
  const outcome = thrown.map((each) => repeats.failed('a/b', each)).at(-1);
  if (want === undefined) expect(outcome).toBeUndefined();
  else expect(outcome).toMatchObject(want);
});

it('restarts the count after a success, and for each key', () => {
  const repeats = createRepeats();
  for (const _ of times(4, 0)) repeats.failed('a', refused());
  repeats.succeeded('a');
  expect(repeats.failed('a', refused())).toBeUndefined();
  expect(repeats.failed('b', refused())).toBeUndefined();
});

it('notifies the reconciler from the fifth failure on, and continues when that fails too', async () => {
  const stalls: Stall[] = [];
  let passes = 0;
  const reconcile = () => {
    passes += 1;
    return passes <= 6 ? Promise.reject(refused()) : Promise.resolve(settled);
  };
  const stalled = (_key: string, stall: Stall) => {
    stalls.push(stall);
    return Promise.reject(new Error('cannot be written'));
  };
  const under = controllerOf(reconcile, { reconciler: { name: 'thing', reconcile, stalled } });
  under.queue.add('a/b');
  await under.controller.start(never);
  for (let count = 1; count <= 7; count += 1) {
    await eventually(() => expect(under.endings).toHaveLength(count));
    under.time.pass(60_000);
  }
  await under.controller.stop();
  expect(under.endings.at(-1)).toBe('settled');
  expect(stalls.map(({ failures }) => failures)).toEqual([5, 6]);
});
