// The moments of observations follow from identity alone.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maxIntervalMs, minIntervalMs } from '../../../../src/domain/observation/interval.ts';
import { momentAfter, windowEndAfter } from '../../../../src/domain/observation/schedule.ts';
import { now } from '../../../support/fixtures/builders.ts';
import { hour } from '../../../support/fixtures/observation/observed-subjects.ts';

const provider = 'fl-acme/box';
const scheduled = fc.record({
  provider: fc.string(),
  uid: fc.uuid(),
  everyMs: fc
    .integer({ min: minIntervalMs / 1_000, max: maxIntervalMs / 1_000 })
    .map((s) => s * 1_000),
});
const times = fc.integer({ min: 0, max: 2 * now.getTime() });
/** Moments are whole milliseconds. */
const rounding = 1;

it('has one moment in each interval, after the time', () => {
  fc.assert(
    fc.property(scheduled, times, (of, time) => {
      const moment = momentAfter(of, time);
      const next = momentAfter(of, moment);
      expect(moment).toBeGreaterThan(time);
      expect(moment - time).toBeLessThanOrEqual(of.everyMs + rounding);
      expect(Math.abs(next - moment - of.everyMs)).toBeLessThanOrEqual(rounding);
    }),
  );
});

it('has the same moment after a restart, at any time before it', () => {
  fc.assert(
    fc.property(scheduled, times, fc.double({ min: 0, max: 1, noNaN: true }), (of, time, share) => {
      const moment = momentAfter(of, time);
      const later = Math.floor(time + share * (moment - 1 - time));
      expect(momentAfter(of, later)).toBe(moment);
    }),
  );
});

it('does not catch up after an outage', () => {
  const of = { provider, uid: 'uid-1', everyMs: hour };
  const missed = momentAfter(of, now.getTime());
  expect(momentAfter(of, missed + 5.5 * hour)).toBe(missed + 6 * hour);
});

it('has the moments of one provider within a tenth of the interval', () => {
  fc.assert(
    fc.property(scheduled, fc.array(fc.uuid(), { minLength: 2 }), times, (of, uids, time) => {
      const end = windowEndAfter(of, time);
      const moments = uids.map((uid) => momentAfter({ ...of, uid }, end));
      const spread = Math.max(...moments) - Math.min(...moments);
      expect(spread).toBeLessThanOrEqual(of.everyMs / 10 + rounding);
    }),
  );
});

it('ends a window after each of its moments, and soon after', () => {
  fc.assert(
    fc.property(scheduled, times, (of, time) => {
      const moment = momentAfter(of, time);
      const end = windowEndAfter(of, moment);
      expect(end).toBeGreaterThanOrEqual(moment);
      expect(end - moment).toBeLessThanOrEqual(of.everyMs / 10 + rounding);
      const other = momentAfter({ ...of, uid: 'another' }, end - of.everyMs / 10 - 2 * rounding);
      expect(other, 'that of any other resource of the provider').toBeLessThanOrEqual(end);
    }),
  );
});

it('has the end of the next window outside of one', () => {
  fc.assert(
    fc.property(scheduled, times, (of, time) => {
      const end = windowEndAfter(of, time);
      const next = windowEndAfter(of, end + 1);
      expect([end >= time, end - time <= of.everyMs + rounding]).toEqual([true, true]);
      expect(Math.abs(next - end - of.everyMs)).toBeLessThanOrEqual(rounding);
    }),
  );
});

/** How many of the numbers are in each tenth of a range. */
function inTenths(numbers: readonly number[], from: number, length: number): readonly number[] {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const each of numbers) {
    const tenth = Math.min(9, Math.max(0, Math.floor(((each - from) / length) * 10)));
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  return tenths;
}

it('spreads resources over the window of their provider, and providers over the interval', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  const end = windowEndAfter({ provider, everyMs: hour }, now.getTime());
  const ofResources = many.map((index) =>
    momentAfter({ provider, uid: `uid-${index}`, everyMs: hour }, end),
  );
  const start = end + hour - hour / 10;
  const ofProviders = many.map((index) =>
    momentAfter({ provider: `fl-acme/box-${index}`, uid: 'uid-1', everyMs: hour }, end),
  );
  for (const tenths of [
    inTenths(ofResources, start, hour / 10),
    inTenths(ofProviders, end, hour),
  ]) {
    expect(Math.min(...tenths)).toBeGreaterThan(60);
    expect(Math.max(...tenths)).toBeLessThan(140);
  }
});
