import { expect, it } from 'vitest';
import { attemptRows } from '../../../../../src/cli/commands/resources/why.ts';

const now = new Date('2026-01-31T12:01:00.000Z');

/** @param seconds before now */
const failed = (attempt: number, error: string, seconds: number) => ({
  attempt,
  error,
  failed_at: new Date(now.getTime() - seconds * 1_000).toISOString(),
});

it.each([
  [[], []],
  [[failed(1, 'X: no', 9)], []],
  [[failed(1, 'X: no', 9), failed(2, 'X: no', 8)], []],
  [[failed(1, 'Y: lost', 9), failed(2, 'X: no', 8)], [['attempt 1', 'lost [Y] (9s ago)']]],
  [
    [
      failed(1, 'Y: lost', 9),
      failed(2, 'Y: lost', 8),
      failed(3, 'X: no', 7),
      failed(4, 'Z: slow', 6),
      failed(5, 'X: no', 5),
    ],
    [
      ['attempts 1-2', 'lost [Y] (8s ago)'],
      ['attempt 4', 'slow [Z] (6s ago)'],
    ],
  ],
])('lists what differs from the last error (case %#)', (errors, want) => {
  expect(attemptRows(errors, now)).toEqual(want);
});
