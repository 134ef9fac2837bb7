import { expect, it } from 'vitest';
import { withError } from '../../../../src/reconcilers/resource/event-progress.ts';
import { aClaim, now, secondsLater } from '../../../support/fixtures/builders.ts';

const failedAt = now.toISOString();
const errorOf = (attempt: number, error = 'X: no') => ({ attempt, error, failedAt });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const cases = {
  'the first of an event': {
    reason: 'Nothing has failed before.',
    event: { attempt: 1 },
    want: [errorOf(1, 'Y: no')],
  },
  'another one': {
    reason: 'The earlier ones explain how it began.',
    event: { attempt: 3, errors: [errorOf(1), errorOf(2)] },
    want: [errorOf(1), errorOf(2), errorOf(3, 'Y: no')],
  },
  'one of an attempt that is repeated': {
    reason: 'An attempt that is not spent fails again under its number.',
    event: { attempt: 2, errors: [errorOf(1), errorOf(2)] },
    want: [errorOf(1), errorOf(2, 'Y: no')],
  },
  'one after many': {
    reason: 'The limit of the custom resource would refuse the status.',
    event: { attempt: 21, errors: numbers(20).map((each) => errorOf(each)) },
    want: [
      ...numbers(20)
        .slice(1)
        .map((each) => errorOf(each)),
      errorOf(21, 'Y: no'),
    ],
  },
};

it.each(Object.entries(cases))('keeps %s', (_name, { reason, event, want }) => {
  const claim = aClaim(event);
  expect(withError(claim, 'Y: no', now), reason).toEqual({ ...claim, errors: want });
});

it('keeps the beginning of a long message, and its time', () => {
  const [kept] = withError(aClaim(), 'x'.repeat(4_096), secondsLater(1)).errors ?? [];
  expect(kept?.error).toBe(`${'x'.repeat(199)}…`);
  expect(kept?.failedAt).toBe(secondsLater(1).toISOString());
});
