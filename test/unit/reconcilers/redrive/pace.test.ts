import { expect, it } from 'vitest';
import type { KubeClient } from '../../../../src/kube/api.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { createDeadLetterReader } from '../../../../src/reconcilers/dead-letters/reader.ts';
import { createRedriveReconciler } from '../../../../src/reconcilers/redrive/index.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const { signal } = new AbortController();
const empty = { get: () => undefined, items: () => [] };
const object = {
  metadata: { name: 'redrive', namespace: 'fl-acme' },
  data: { untilVersion: '1', accepted: '0' },
};

/** A redrive without letters: each pass finishes it once more. */
function redriving() {
  const time = manualTime();
  let finished = 0;
  const reconciler = createRedriveReconciler({
    client: { delete: () => Promise.resolve() } as unknown as KubeClient,
    redrives: { get: () => object, remember: () => undefined },
    deadLetters: empty,
    resources: empty,
    reader: createDeadLetterReader(),
    recorder: {
      record() {
        finished += 1;
      },
    },
    clock: time.clock,
    log: silentLog,
  });
  return {
    time,
    pass: () => reconciler.reconcile('fl-acme/redrive', signal),
    done: () => finished,
  };
}

it.each([-3_600_000, 0, 7_200_000])(
  'keeps its rate when the wall clock jumps %i ms',
  async (jump) => {
    const { time, pass, done } = redriving();
    await pass();
    time.pass(50);
    time.setWallClock(new Date(time.clock.now().getTime() + jump));
    const outcome = await pass();
    expect(outcome).toEqual({ kind: 'waitUntil', at: new Date(time.clock.now().getTime() + 150) });
    expect(done()).toBe(1);
    time.pass(150);
    await pass();
    expect(done()).toBe(2);
  },
);
