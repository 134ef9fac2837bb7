import { expect, it } from 'vitest';
import { inOwnTurn, ownTurn } from '../../../src/lib/turns.ts';

/** Counts the turns of the event loop until the work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const finished = work.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await finished;
  return turns;
}

it('gives each its own turn, in the order of the calls', async () => {
  const order: number[] = [];
  const all = Array.from({ length: 5 }, (_, at) => ownTurn().then(() => order.push(at)));
  expect(await turnsOf(Promise.all(all))).toBeGreaterThanOrEqual(5);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

it('reads long texts of many requests one after another, with turns for others between', async () => {
  const long = JSON.stringify('x'.repeat(40_000));
  const read = Array.from({ length: 4 }, () => inOwnTurn(long, JSON.parse));
  expect(await turnsOf(Promise.all(read))).toBeGreaterThanOrEqual(8);
});

it('reads short ones at once', () => {
  let isRead = false;
  void inOwnTurn('{}', () => {
    isRead = true;
  });
  expect(isRead).toBe(true);
});

it('goes on after a text that is none', async () => {
  const broken = inOwnTurn('{'.repeat(40_000), JSON.parse);
  await expect(broken).rejects.toThrow(SyntaxError);
  await ownTurn();
});
