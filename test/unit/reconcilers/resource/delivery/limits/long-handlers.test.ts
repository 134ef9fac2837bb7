import { describe, expect, it } from 'vitest';
import { createLongHandlerLimit } from '../../../../../../src/reconcilers/resource/delivery/limits/long-handlers.ts';
import { aDelivery } from '../../../../../support/fixtures/a-delivery.ts';

function longOf(perPod: number, perOrganization: number, inTotal: number, pods = 1) {
  const freed: string[] = [];
  const limit = createLongHandlerLimit({
    onFree: (key) => freed.push(key),
    podsOf: () => pods,
    width: { perPod, perOrganization, inTotal },
  });
  const long = {
    ...limit,
    enter: (provider: string, key: string) =>
      limit.enter({ ...aDelivery(provider, key), isLong: true }).enter === 'go',
    leave: (provider: string) => limit.leave(aDelivery(provider, ''), 'nothing'),
  };
  return { long, freed };
}

describe('slots of long deliveries', () => {
  it('are limited per provider, and handed on one by one', () => {
    const { long, freed } = longOf(1, 10, 100);
    const entered = ['a/1', 'a/2', 'a/3'].map((key) => long.enter('a/slow', key));
    expect(entered).toEqual([true, false, false]);
    expect(long.enter('a/other', 'a/4')).toBe(true);
    long.leave('a/slow');
    expect(freed).toEqual(['a/2']);
    expect(long.enter('a/slow', 'a/2')).toBe(true);
    long.leave('a/slow');
    expect(freed).toEqual(['a/2', 'a/3']);
  });

  it('are as many for each pod, and those that wait are counted', () => {
    const { long } = longOf(1, 10, 100, 2);
    const entered = ['a/1', 'a/2', 'a/3'].map((key) => long.enter('a/slow', key));
    expect(entered).toEqual([true, true, false]);
    expect(long.enter('a/slow', 'a/3')).toBe(false);
    expect(long.waiting('a/slow')).toBe(1);
    long.leave('a/slow');
    expect(long.waiting('a/slow')).toBe(0);
  });

  it('are limited per organization', () => {
    const { long, freed } = longOf(10, 2, 100);
    expect(['x', 'y', 'z'].map((name) => long.enter(`a/${name}`, `a/${name}1`))).toEqual([
      true,
      true,
      false,
    ]);
    expect(long.enter('b/x', 'b/1')).toBe(true);
    long.leave('b/x');
    expect(freed).toEqual([]);
    long.leave('a/x');
    expect(freed).toEqual(['a/z1']);
  });

  it('leave one free for another organization', () => {
    const { long } = longOf(10, 10, 4);
    const entered = ['1', '2', '3'].map((name) => long.enter('a/x', `a/${name}`));
    expect(entered).toEqual([true, true, false]);
    expect(long.enter('b/x', 'b/1')).toBe(true);
    expect(long.enter('c/x', 'c/1'), 'holds 0 of the 1 that is left').toBe(true);
  });

  it('are handed to the next when the first no longer needs one', () => {
    const { long, freed } = longOf(2, 10, 100);
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) long.enter('a/x', key);
    long.leave('a/x');
    long.leave('a/x');
    expect(freed).toEqual(['a/3', 'a/4']);
  });

  it('are passed on by a key that was handed one and does not come', () => {
    const { long, freed } = longOf(1, 10, 100);
    for (const key of ['a/1', 'a/gone', 'a/3']) long.enter('a/x', key);
    long.leave('a/x');
    expect(freed).toEqual(['a/gone']);
    long.forget(aDelivery('a/x', 'a/gone'));
    expect(freed).toEqual(['a/gone', 'a/3']);
  });
});
