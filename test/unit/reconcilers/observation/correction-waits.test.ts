import { expect, it } from 'vitest';
import { decide, type Situation } from '../../../../src/reconcilers/observation/decide.ts';
import type { Subject } from '../../../../src/reconcilers/observation/subject.ts';
import { now, readyResource, secondsLater } from '../../../support/fixtures/builders.ts';

const hourMs = 3_600_000;
const since = now.toISOString();
const drift = { since, kind: 'Gone', changes: [], total: 0, compared: 0, unknown: 0 } as const;

/** Drifted two hours ago. */
function situation(generation: number, changes: Partial<Situation> = {}): Situation {
  const resource = readyResource({
    spec: { observe: { onDrift: 'Correct' } },
    metadata: { generation },
    status: { drift: { ...drift, changes: [] } },
  });
  const subject: Subject = {
    resource,
    type: {} as Subject['type'],
    provider: 'fl-acme/postgres',
    uid: 'uid-1',
    everyMs: hourMs,
    typeEveryMs: hourMs,
    isReadOnly: false,
  };
  const at = secondsLater(7_200).getTime();
  const rest = { request: undefined, isSuspended: false, pending: 0, gate: () => 'open' as const };
  const last = { failures: 0, isConfirmed: true };
  const beganAt = now.getTime();
  return { subject, now: at, beganAt, next: at + hourMs, ...rest, ...last, ...changes };
}

it('begins a correction that is due', () => {
  expect(decide(situation(1))).toEqual({ do: 'correct' });
});

it('waits until the resource reconciler has noticed the generation, whose write would overtake it', () => {
  const { next } = situation(2);
  expect(decide(situation(2))).toEqual({ do: 'wait', until: new Date(next) });
});

it('waits while others of the provider are looked at, or corrections are held', () => {
  expect(decide(situation(1, { pending: 1 }))).toMatchObject({ do: 'wait' });
  const { next } = situation(1);
  expect(decide(situation(1, { gate: () => 'held' }))).toEqual({
    do: 'wait',
    until: new Date(next),
  });
});

it('observes again what a release has woken, while others are looked at', () => {
  expect(decide(situation(1, { pending: 1, isConfirmed: false }))).toEqual({ do: 'observe' });
});
