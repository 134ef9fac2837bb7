// The status before a delivery that begins later than its claim says.
import { expect, it } from 'vitest';
import { Reason } from '../../../../../src/crds/conditions.ts';
import {
  begun,
  failed,
  saysItWaits,
} from '../../../../../src/reconcilers/resource/status/status.ts';
import { inFlight, secondsLater } from '../../../../support/fixtures/builders.ts';

const later = secondsLater(60);
const inState = (reason: string, event: object = {}) =>
  inFlight({ sequence: 9, ...event }, { status: { reason } });

function begin(resource: ReturnType<typeof inState>) {
  const { event } = resource.status ?? {};
  if (event === undefined) throw new Error('Without an event');
  return begun(resource, event, later);
}

it.each(['WaitingForProvider', 'DependenciesNotReady', 'Suspended', 'TypeRetired'])(
  'a delivery that can begin ends the reason %s',
  (reason) => {
    const waiting = inState(reason);
    expect(saysItWaits(waiting)).toBe(true);
    const status = begin(waiting);
    expect(status).toMatchObject({
      ...{ state: 'processing', reason: 'Processing' },
      event: { sequence: 10, begunAt: later.toISOString() },
    });
    expect(saysItWaits({ status })).toBe(false);
  },
);

it('that of a deletion says so', () => {
  const waiting = inState('WaitingForProvider', { type: 'DELETE' });
  const metadata = { ...waiting.metadata, deletionTimestamp: later.toISOString() };
  expect(begin({ ...waiting, metadata })).toMatchObject({ state: 'deleting', reason: 'Deleting' });
});

it.each(['Processing', 'RetryScheduled', 'InProgress', 'RateLimited'])(
  'one that is sent again after a restart keeps what is known with %s, and gets another number',
  (reason) => {
    const sent = inState(reason, { attempt: 3, nextAttemptAt: secondsLater(1).toISOString() });
    expect(saysItWaits(sent)).toBe(false);
    expect(begin(sent)).toEqual({
      ...sent.status,
      event: { ...sent.status?.event, sequence: 10, begunAt: later.toISOString() },
    });
  },
);

it('an event that has ended no longer says when its delivery began', () => {
  const resource = inState('Processing', { begunAt: later.toISOString() });
  const { event } = resource.status ?? {};
  if (event === undefined) throw new Error('Without an event');
  const reason = Reason.AttemptsExhausted;
  expect(failed(resource, { event, error: 'X: no', reason }, later).event).not.toHaveProperty(
    'begunAt',
  );
});
