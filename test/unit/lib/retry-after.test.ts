import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/lib/retry-after.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

const waits = {
  '0': 0,
  '5': 5_000,
  ' 5 ': 5_000,
  'Thu, 01 Jan 2026 00:01:00 GMT': 60_000,
  'Wed, 31 Dec 2025 23:00:00 GMT': 0,
  '': undefined,
  soon: undefined,
  '-5': undefined,
  '1.5': undefined,
  '5s': undefined,
  'attempt 5': undefined,
  '0x10': undefined,
} as const;

it.each(Object.entries(waits))('reads "%s" in Retry-After as %s ms', (header, want) => {
  expect(retryAfterMs(header, now)).toBe(want);
});

it('limits a huge Retry-After to a finite number', () => {
  const wait = retryAfterMs('9'.repeat(400), now);
  expect(Number.isFinite(wait)).toBe(true);
  expect(wait).toBeGreaterThan(300_000);
});

it('reads nothing where there is no header', () => {
  expect(retryAfterMs(undefined, now)).toBe(undefined);
});

it('limits a Retry-After to a finite delay, or none', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.date().map((date) => date.toUTCString()),
      ),
      (text) => {
        const wait = retryAfterMs(text, now);
        expect(wait === undefined || (Number.isFinite(wait) && wait >= 0)).toBe(true);
      },
    ),
  );
});
