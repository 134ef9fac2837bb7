// The pace of devices that poll: each case is a list of polls, in seconds since the one before, and which of them are too early.
import { expect, it } from 'vitest';
import { createPolling } from '../../../src/issuer/polling.ts';
import { manualTime } from '../../support/runner/manual-time.ts';

const cases = {
  'the first poll': { reason: 'Nothing came before it.', gaps: [0], early: [false] },
  'polls at the interval': {
    reason: 'RFC 8628: five seconds are enough.',
    gaps: [0, 5, 5, 5],
    early: [false, false, false, false],
  },
  'polls that the network shifts': {
    reason: 'A device that keeps to its interval is not punished for a slow packet.',
    gaps: [0, 5.9, 4.1],
    early: [false, false, false],
  },
  'a poll at once': {
    reason: 'slow_down makes the interval five seconds longer.',
    gaps: [0, 0, 5, 15, 15],
    early: [false, true, true, false, false],
  },
  'a device that obeys': {
    reason: 'It waits five seconds longer after each slow_down.',
    gaps: [0, 1, 10, 10],
    early: [false, true, false, false],
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, gaps, early }) => {
  const time = manualTime();
  const polling = createPolling(time.clock);
  const answers = gaps.map((seconds) => {
    time.pass(seconds * 1_000);
    return polling.tooEarly('device');
  });
  expect(answers, reason).toEqual(early);
});

it('keeps devices apart', () => {
  const polling = createPolling(manualTime().clock);
  expect([polling.tooEarly('a'), polling.tooEarly('b'), polling.tooEarly('a')]).toEqual([
    false,
    false,
    true,
  ]);
});
