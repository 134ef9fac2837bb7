import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { createWaits, type Waits } from '../../../../src/reconcilers/resource/waits.ts';
import { inFlight, now, secondsLater } from '../../../support/fixtures/builders.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const hourMs = 3_600_000;
const jumps = [-hourMs, 0, 2 * hourMs];

/** The initial length of each wait, and the length after ten seconds in which the wall clock jumped. */
function through(jumpMs: number, resource: Resource) {
  const time = manualTime(now);
  const waits = createWaits({ clock: time.clock, policy: defaultRetryPolicy });
  const before = waits(resource);
  time.pass(10_000);
  time.setWallClock(new Date(time.clock.now().getTime() + jumpMs));
  return { before, after: waits(resource) };
}

/** Read by a process that starts after the clock jumped. */
function afterwards(jumpMs: number, resource: Resource): Waits {
  const time = manualTime(new Date(now.getTime() + jumpMs));
  return createWaits({ clock: time.clock, policy: defaultRetryPolicy })(resource);
}

const retried: Partial<ClaimedEvent> = {
  sequence: 7,
  attempt: 2,
  nextAttemptAt: secondsLater(30).toISOString(),
};
const accepted = { ...retried, acceptedAt: secondsLater(-3_600).toISOString() };
const deleted = { metadata: { deletionTimestamp: now.toISOString() } };

it.each(jumps)('measures a backoff correctly when the wall clock jumps %i ms', (jump) => {
  const { before, after } = through(jump, inFlight(retried));
  expect([before.deliveryMs, after.deliveryMs]).toEqual([30_000, 20_000]);
});

it.each(jumps)(
  'measures the two hours of an operation correctly when the wall clock jumps %i ms',
  (jump) => {
    const { before, after } = through(jump, inFlight(accepted));
    expect([before.operationMs, after.operationMs]).toEqual([hourMs, hourMs - 10_000]);
  },
);

it.each(jumps)(
  'measures the ten minutes of a deletion correctly when the wall clock jumps %i ms',
  (jump) => {
    const { before, after } = through(jump, inFlight(accepted, deleted));
    const passed = before.operationWhileDeletingMs - after.operationWhileDeletingMs;
    expect([before.operationWhileDeletingMs, passed]).toEqual([600_000, 10_000]);
  },
);

it.each(jumps)('waits for a provider for two hours when the wall clock jumps %i ms', (jump) => {
  const { before, after } = through(jump, inFlight({ type: 'DELETE' }, deleted));
  expect([before.providerMs, after.providerMs]).toEqual([2 * hourMs, 2 * hourMs - 10_000]);
});

it.each(jumps)(
  'measures the ten minutes of uncounted attempts correctly when the wall clock jumps %i ms',
  (jump) => {
    const skewedAt = secondsLater(-60).toISOString();
    const { before, after } = through(jump, inFlight({ ...retried, skewedAt }));
    expect([before.uncountedSkewMs, after.uncountedSkewMs]).toEqual([540_000, 530_000]);
    const claimed = through(jump, inFlight({ startedAt: skewedAt }));
    const { before: first, after: then } = claimed;
    expect([first.uncountedKeysMs, then.uncountedKeysMs]).toEqual([540_000, 530_000]);
  },
);

it('never waits longer than its policy for the time of a faster clock', () => {
  const waits = afterwards(
    -hourMs,
    inFlight({ ...accepted, skewedAt: now.toISOString() }, deleted),
  );
  expect(waits.deliveryMs, 'the longest that a 202 asks for').toBe(hourMs);
  const backoff = afterwards(-hourMs, inFlight(retried));
  expect(backoff.deliveryMs, 'the longest of backoff and Retry-After').toBe(300_000);
  expect(waits.operationMs, 'it began when it is read').toBe(2 * hourMs);
  expect(waits.operationWhileDeletingMs).toBe(600_000);
  expect(waits.providerMs).toBe(2 * hourMs);
  expect(waits.uncountedSkewMs).toBe(600_000);
});

it('waits up to the ten minutes that a type declares', () => {
  const time = manualTime(now);
  const waits = createWaits({ clock: time.clock, policy: defaultRetryPolicy });
  const due = inFlight({ ...retried, nextAttemptAt: secondsLater(590).toISOString() });
  expect(waits(due, { retry: { maxDelaySeconds: 600 } }).deliveryMs).toBe(590_000);
});

it('polls an operation once more after hours without a poll', () => {
  const { deliveryMs, operationMs } = afterwards(2 * hourMs, inFlight(accepted));
  expect(deliveryMs).toBe(0);
  expect(operationMs, 'until it was due an hour was used').toBe(hourMs - 30_000);
});

it('limits an operation, and waits that are asked for, by the type', () => {
  const time = manualTime(now);
  const waits = createWaits({ clock: time.clock, policy: defaultRetryPolicy });
  const type = { operationLimitSeconds: 43_200 };
  expect(waits(inFlight(accepted), type).operationMs).toBe(11 * hourMs);
  const hold = { since: secondsLater(-1_800).toISOString(), scope: 'Resource' } as const;
  const limited = inFlight({ ...retried, id: 'evt-2', hold });
  expect(waits(limited, type).operationMs).toBe(11.5 * hourMs);
  const both = inFlight({ ...accepted, id: 'evt-3', hold });
  expect(waits(both, type).operationMs, 'counted from the first 202').toBe(11 * hourMs);
  const deleting = inFlight({ type: 'DELETE', id: 'evt-4' }, deleted);
  expect(waits(deleting, { operationLimitSeconds: 60 }).providerMs).toBe(2 * hourMs);
});

it('starts over with every delivery', () => {
  const time = manualTime(now);
  const waits = createWaits({ clock: time.clock, policy: defaultRetryPolicy });
  const event = { ...retried, nextAttemptAt: secondsLater(60).toISOString() };
  expect(waits(inFlight(retried)).deliveryMs).toBe(30_000);
  expect(waits(inFlight({ ...event, sequence: 8 })).deliveryMs).toBe(60_000);
});

it('limits nothing without a claim', () => {
  expect(afterwards(0, inFlight())).toMatchObject({
    operationMs: Infinity,
    deliveryMs: 0,
    uncountedSkewMs: Infinity,
  });
});
