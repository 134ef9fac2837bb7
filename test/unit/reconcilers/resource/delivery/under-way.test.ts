import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDeliveriesUnderWay } from '../../../../../src/reconcilers/resource/delivery/under-way.ts';
import { eventually } from '../../../../support/runner/eventually.ts';

let ms = 0;
const clock = { monotonic: () => ms };

function underWay() {
  const freed: string[] = [];
  const long = createDeliveriesUnderWay({ clock, onEnd: (key) => freed.push(key) });
  return { long, freed };
}

describe('a long delivery', () => {
  it('is under way until its end, which hands back its key', async () => {
    const { long, freed } = underWay();
    const { promise, resolve } = Promise.withResolvers<void>();
    long.run('a/1', () => promise);
    expect([long.has('a/1'), long.has('a/2')]).toEqual([true, false]);
    resolve();
    await eventually(() => expect(freed).toEqual(['a/1']));
    expect(long.has('a/1')).toBe(false);
  });

  it('that throws makes the next pass fail, once', async () => {
    const { long, freed } = underWay();
    long.run('a/1', () => Promise.reject(new Error('broken')));
    await eventually(() => expect(freed).toEqual(['a/1']));
    expect(() => long.has('a/1')).toThrow('broken');
    expect(long.has('a/1')).toBe(false);
  });

  it('learns of the deletion of its resource, and goes on', async () => {
    const { long } = underWay();
    let isDeleted = false;
    long.run('a/1', async (givenUp, deletion) => {
      await once(deletion, 'abort');
      isDeleted = true;
      await once(givenUp, 'abort');
    });
    long.cancel('a/2');
    expect(isDeleted).toBe(false);
    long.cancel('a/1');
    await eventually(() => expect(isDeleted).toBe(true));
    expect(long.has('a/1')).toBe(true);
  });

  it('is given up when it has run as long as it may, and not before', async () => {
    const { long } = underWay();
    let aborted = false;
    long.run('a/1', async (givenUp) => {
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
