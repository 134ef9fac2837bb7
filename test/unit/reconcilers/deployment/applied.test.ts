// The number of writes of the same Deployment when other clients change it.
import { expect, it } from 'vitest';
import { createAppliedBook } from '../../../../src/reconcilers/deployment/applied.ts';
import { aDeployment } from '../../../support/fixtures/workloads/workload-builders.ts';

/** A process that applies as often as it may. */
function applying() {
  let now = 0;
  const book = createAppliedBook({ monotonic: () => now });
  return {
    book,
    after: (ms: number) => {
      now += ms;
    },
    apply: (manifest: string) => book.record('a/shop', manifest, aDeployment()),
    waitMs: () => book.find('a/shop')?.waitMs,
  };
}

it('waits longer before each repetition, up to five minutes', () => {
  const { after, apply, waitMs } = applying();
  const waits = Array.from({ length: 12 }, () => {
    apply('a');
    const ms = waitMs() ?? Number.NaN;
    after(ms);
    expect(waitMs()).toBe(0);
    return ms / 1_000;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
});

it('starts over for another manifest, and after the last one was stable for a while', () => {
  const { after, apply, waitMs } = applying();
  apply('a');
  after(1_000);
  apply('a');
  apply('b');
  expect(waitMs()).toBe(1_000);
  after(60_000);
  apply('b');
  expect(waitMs()).toBe(1_000);
});

it('returns the result of the last write, until the provider is deleted', () => {
  const { book, apply } = applying();
  expect(book.find('a/shop')).toBeUndefined();
  apply('a');
  expect(book.find('a/shop')).toEqual({
    manifest: 'a',
    uid: 'uid-deployment',
    generation: 2,
    waitMs: 1_000,
  });
  book.forget('a/shop');
  expect(book.find('a/shop')).toBeUndefined();
});
