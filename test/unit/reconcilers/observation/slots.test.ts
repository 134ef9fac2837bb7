// Observations take at most their share of a provider, and only what no event needs.
import { expect, it } from 'vitest';
import { createObservationSlots } from '../../../../src/reconcilers/observation/slots.ts';
import { aDelivery } from '../../../support/fixtures/a-delivery.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

function slotsOf(width: number) {
  const time = manualTime();
  const freed: string[] = [];
  const provider = { width, hasSpare: true };
  const limit = createObservationSlots({
    width: () => provider.width,
    hasSpare: (name) => name !== 'box' || provider.hasSpare,
    onFree: (key) => freed.push(key),
    timers: time.timers,
  });
  const slots = {
    ...limit,
    enter: (name: string, key: string) => limit.enter(aDelivery(name, key)).enter === 'go',
    leave: (name: string) => limit.leave(aDelivery(name, ''), 'nothing'),
  };
  const enter = (...keys: string[]) => keys.map((key) => slots.enter('box', key));
  return { slots, time, freed, provider, enter };
}

it('gives as many slots as there are, and the next ones in order', () => {
  const { slots, freed, enter } = slotsOf(2);
  expect(enter('a', 'b', 'c', 'd')).toEqual([true, true, false, false]);
  slots.leave('box');
  expect(freed).toEqual(['c']);
  expect(enter('c')).toEqual([true]);
  slots.leave('box');
  slots.leave('box');
  expect(freed).toEqual(['c', 'd']);
});

it('lets one provider wait for no other', () => {
  const { slots, enter } = slotsOf(1);
  expect(enter('a', 'b')).toEqual([true, false]);
  expect(slots.enter('other', 'a')).toBe(true);
});

it('gives none while events need all, and looks again every second', () => {
  const { freed, provider, enter, time } = slotsOf(2);
  provider.hasSpare = false;
  expect(enter('a', 'b', 'c')).toEqual([false, false, false]);
  time.pass(999);
  provider.hasSpare = true;
  expect(freed).toEqual([]);
  time.pass(1);
  expect(freed).toEqual(['a', 'b']);
  time.pass(1_000);
  expect(freed, 'those that were called did not come').toEqual(['a', 'b', 'c']);
});

it('gives none of those that become free while events need them', () => {
  const { slots, freed, provider, enter, time } = slotsOf(1);
  enter('a', 'b');
  provider.hasSpare = false;
  slots.leave('box');
  expect(freed).toEqual([]);
  provider.hasSpare = true;
  time.pass(1_000);
  expect(freed).toEqual(['b']);
});

it('gives more when there are more pods', () => {
  const { freed, provider, enter, time } = slotsOf(1);
  enter('a', 'b', 'c', 'd');
  provider.width = 3;
  time.pass(1_000);
  expect(freed).toEqual(['b', 'c']);
});

it('calls a key once, however often it asked', () => {
  const { slots, freed, enter } = slotsOf(1);
  enter('a', 'b', 'b', 'b');
  expect(slots.pending('box')).toBe(2);
  slots.leave('box');
  slots.enter('box', 'b');
  slots.leave('box');
  expect(freed).toEqual(['b']);
});

it('counts those that are under way or wait, and nothing after them', () => {
  const { slots, enter, time } = slotsOf(2);
  expect(slots.pending('box')).toBe(0);
  enter('a', 'b', 'c');
  expect([slots.pending('box'), slots.pending('other')]).toEqual([3, 0]);
  slots.leave('box');
  slots.arrived('c');
  enter('c');
  slots.leave('box');
  slots.leave('box');
  expect([slots.pending('box'), time.armed]).toEqual([0, 0]);
});

it('counts a key that was called until its pass begins, whether it wants a slot then or not', () => {
  const { slots, enter } = slotsOf(1);
  enter('a', 'b', 'c');
  slots.leave('box');
  expect(slots.pending('box'), 'b is called, c waits').toBe(2);
  slots.arrived('b');
  enter('b');
  expect(slots.pending('box')).toBe(2);
  slots.leave('box');
  expect(slots.pending('box'), 'c is called, nothing waits').toBe(1);
  slots.arrived('c');
  slots.arrived('never called');
  expect(slots.pending('box')).toBe(0);
});

it('has no timer while nothing waits', () => {
  const { enter, time, slots } = slotsOf(1);
  enter('a');
  expect(time.armed).toBe(0);
  enter('b', 'c');
  expect(time.armed).toBe(1);
  slots.leave('box');
  slots.enter('box', 'b');
  slots.leave('box');
  expect(time.armed, 'c was called').toBe(0);
});
