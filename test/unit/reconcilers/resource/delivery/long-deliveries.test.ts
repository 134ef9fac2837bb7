import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLongDeliveries } from '../../../../../src/reconcilers/resource/delivery/long-deliveries.ts';
import { eventually } from '../../../../support/runner/eventually.ts';

let ms = 0;
const clock = { monotonic: () => ms };

function longOf(perPod: number, perOrganization: number, inTotal: number, pods = 1) {
  const freed: string[] = [];
  const long = createLongDeliveries({
    clock,
    onFree: (key) => freed.push(key),
    podsOf: () => pods,
    width: { perPod, perOrganization, inTotal },
  });
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
});

describe('a long delivery', () => {
  it('is under way until its end, which hands back its key and its slot', async () => {
    const { long, freed } = longOf(1, 10, 100);
    const { promise, resolve } = Promise.withResolvers<void>();
    long.enter('a/x', 'a/1');
    long.run('a/x', 'a/1', () => promise);
    expect([long.isUnderWay('a/1'), long.isUnderWay('a/2')]).toEqual([true, false]);
    expect(long.enter('a/x', 'a/2')).toBe(false);
    resolve();
    await eventually(() => expect(freed).toEqual(['a/2', 'a/1']));
    expect(long.isUnderWay('a/1')).toBe(false);
    expect(long.enter('a/x', 'a/2')).toBe(true);
  });

  it('that throws makes the next pass fail, once', async () => {
    const { long, freed } = longOf(1, 10, 100);
    long.enter('a/x', 'a/1');
    long.run('a/x', 'a/1', () => Promise.reject(new Error('broken')));
    await eventually(() => expect(freed).toEqual(['a/1']));
    expect(() => long.isUnderWay('a/1')).toThrow('broken');
    expect(long.isUnderWay('a/1')).toBe(false);
    expect(long.enter('a/x', 'a/1')).toBe(true);
  });

  it('learns of the deletion of its resource, and goes on', async () => {
    const { long } = longOf(1, 10, 100);
    let isDeleted = false;
    long.enter('a/x', 'a/1');
    long.run('a/x', 'a/1', async (givenUp, deletion) => {
      await once(deletion, 'abort');
      isDeleted = true;
      await once(givenUp, 'abort');
    });
    long.cancel('a/2');
    expect(isDeleted).toBe(false);
    long.cancel('a/1');
    await eventually(() => expect(isDeleted).toBe(true));
    expect(long.isUnderWay('a/1')).toBe(true);
  });

  it('is given up when it has run as long as it may, and not before', async () => {
    const { long } = longOf(1, 10, 100);
    let aborted = false;
    long.enter('a/x', 'a/1');
    long.run('a/x', 'a/1', async (givenUp) => {
      await once(givenUp, 'abort');
      aborted = true;
    });
    const [[key, ended] = ['none', Promise.resolve(false)]] = long.endings();
    ms += 600;
    expect([long.giveUpAfter('a/1', 1_000), aborted]).toEqual([400, false]);
    ms += 400;
    expect(long.giveUpAfter('a/1', 1_000)).toBe(0);
    expect([key, await ended, aborted]).toEqual(['a/1', true, true]);
    expect(long.endings()).toEqual([]);
  });
});
