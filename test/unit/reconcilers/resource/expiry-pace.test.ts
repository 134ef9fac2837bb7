// How fast resources that have expired are deleted: after an outage, there may be many.
import { expect, it } from 'vitest';
import { createExpiryPace } from '../../../../src/reconcilers/resource/expiry/expiry.ts';
import { secondsLater } from '../../../support/fixtures/builders.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const keys = (count: number) => Array.from({ length: count }, (_, n) => `ns/r-${n}`);

it('the pace of deletions begins at once, and spreads a hundred over a minute', () => {
  const { clock, pass } = manualTime();
  const pace = createExpiryPace(clock);
  const waits = keys(101).map((key) => pace.enter(key));
  expect(waits[0]).toBe(0);
  expect(waits[100]).toBe(60_000);
  const gaps = waits.slice(1).map((wait, n) => wait - (waits[n] ?? 0));
  expect(new Set(gaps)).toEqual(new Set([600]));
  pass(600);
  expect(pace.enter('ns/r-1'), 'its turn').toBe(0);
  expect(pace.enter('ns/r-100'), 'its turn is kept').toBe(59_400);
});

it('the pace is not spent by looks in between', () => {
  const { clock } = manualTime();
  const pace = createExpiryPace(clock);
  pace.enter('ns/first');
  for (let look = 0; look < 50; look += 1) expect(pace.enter('ns/second')).toBe(600);
  expect(pace.enter('ns/third')).toBe(1_200);
  expect(pace.enter('ns/second')).toBe(600);
  expect(pace.enter('ns/fourth'), 'a turn of its own').toBe(1_800);
});

it('the pace does not wait for turns that nobody took', () => {
  const { clock, pass } = manualTime();
  const pace = createExpiryPace(clock);
  for (const key of keys(3)) pace.enter(key);
  pass(3_600_000);
  expect(pace.enter('ns/late')).toBe(0);
  expect(pace.enter('ns/later'), 'and saves none up').toBe(600);
});

it('the pace gives the next object of a name a turn of its own', () => {
  const { clock, pass } = manualTime();
  const pace = createExpiryPace(clock);
  pace.enter('ns/first');
  expect(pace.enter('ns/second')).toBe(600);
  pass(600);
  expect(pace.enter('ns/second')).toBe(0);
  expect(pace.enter('ns/second')).toBe(600);
});

it('the pace ignores the wall clock: a jump neither deletes all at once nor stops', () => {
  const { clock, setWallClock } = manualTime();
  const pace = createExpiryPace(clock);
  pace.enter('ns/first');
  setWallClock(secondsLater(86_400));
  expect(pace.enter('ns/second')).toBe(600);
  setWallClock(secondsLater(-86_400));
  expect(pace.enter('ns/second')).toBe(600);
});
