// What the status of a pod says about a lost connection, and which deliveries were in the process together.
import { expect, it } from 'vitest';
import { keyFor } from '../../../../src/kube/api.ts';
import { createProcessEnds } from '../../../../src/reconcilers/crashes/process-ends.ts';
import type { ContainerStatus, Pod } from '../../../../src/reconcilers/workloads.ts';
import { objectCache } from '../../../support/fixtures/object-cache.ts';
import { aServingPod } from '../../../support/fixtures/workloads/workload-builders.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const running: ContainerStatus = { name: 'provider', restartCount: 0, state: { running: {} } };
const terminated = { exitCode: 3, message: 'Boom' };
const podWith = (status: Partial<ContainerStatus> = {}, phase = 'Running') =>
  aServingPod({
    metadata: { uid: 'uid-pod' },
    status: { phase, containerStatuses: [{ ...running, ...status }] },
  });
const before = podWith();
const never = new AbortController().signal;

function watching(pod: Pod | undefined = before) {
  const pods = objectCache<Pod>(...(pod === undefined ? [] : [pod]));
  const time = manualTime();
  const ends = createProcessEnds({ pods, timers: time.timers, patienceMs: 1_000 });
  const changeTo = (next: Pod | undefined) => {
    if (next === undefined) pods.remove(keyFor(before.metadata));
    else pods.put(next);
    ends.changed(keyFor(before.metadata));
  };
  return { ends, changeTo, time };
}

const cases: Record<string, [Pod | undefined, object | undefined]> = {
  'the container ran again': [
    podWith({ restartCount: 1, lastState: { terminated } }),
    { terminated, isPlanned: false },
  ],
  'the container ended and is not restarted yet': [
    podWith({ state: { terminated } }),
    { terminated, isPlanned: false },
  ],
  'the container waits for its restart': [
    podWith({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }),
    { terminated, isPlanned: false },
  ],
  'the pod was evicted': [
    podWith({ state: {} }, 'Failed'),
    { terminated: undefined, isPlanned: false },
  ],
  'the pod is gone': [undefined, { terminated: undefined, isPlanned: true }],
  'the pod is being replaced': [
    { ...before, metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { terminated: undefined, isPlanned: true },
  ],
  'another pod has its name': [
    { ...before, metadata: { ...before.metadata, uid: 'another' } },
    { terminated: undefined, isPlanned: true },
  ],
};

it.each(Object.entries(cases))('an end shows when %s', async (_name, [after, want]) => {
  const { ends, changeTo } = watching();
  const lost = ends.enter(before).lost(never);
  changeTo(after);
  expect(await lost).toEqual({ ...want, others: 0 });
});

it('a connection that breaks while the process goes on is no end', async () => {
  const { ends, changeTo, time } = watching();
  const lost = ends.enter(before).lost(never);
  changeTo({ ...before, metadata: { ...before.metadata, resourceVersion: '2' } });
  await Promise.resolve();
  time.pass(1_000);
  expect(await lost).toBeUndefined();
});

it('nobody sees the process of a provider that runs elsewhere', async () => {
  const { ends } = watching();
  expect(await ends.enter(undefined).lost(never)).toBeUndefined();
});

it('an aborted wait ends', async () => {
  const { ends } = watching();
  expect(await ends.enter(before).lost(AbortSignal.abort())).toBeUndefined();
});

it('counts the deliveries that were lost together, and not those that were answered before', async () => {
  const { ends, changeTo } = watching();
  const [first, second, answered] = [ends.enter(before), ends.enter(before), ends.enter(before)];
  answered.leave();
  const lost = [first, second].map((each) => each.lost(never));
  const restarted = podWith({ restartCount: 1, lastState: { terminated } });
  changeTo(restarted);
  expect((await Promise.all(lost)).map((end) => end?.others)).toEqual([1, 1]);
  for (const each of [first, second]) each.leave();
  const next = ends.enter(restarted);
  const again = next.lost(never);
  changeTo(podWith({ restartCount: 2, lastState: { terminated } }));
  expect((await again)?.others, 'of the next process').toBe(0);
});
