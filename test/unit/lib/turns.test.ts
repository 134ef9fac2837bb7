import { expect, it } from 'vitest';
import {
  betweenSteps,
  inOwnTurn,
  measureTurns,
  ownTurn,
  runBackgroundWork,
  runShortWork,
} from '../../../src/lib/turns.ts';

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

it('waits for short work', async () => {
  const order: string[] = [];
  let end: () => void = () => undefined;
  runShortWork((ended) => {
    end = ended;
  });
  const heavy = ownTurn().then(() => order.push('heavy'));
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  order.push('short');
  end();
  await heavy;
  expect(order).toEqual(['short', 'heavy']);
});

it('waits for short work that came during the step before', async () => {
  const order: string[] = [];
  const first = ownTurn().then(() => {
    // Due when the step ends, like a request that arrives meanwhile.
    setTimeout(() => {
      runShortWork((end) => {
        setImmediate(() => {
          order.push('short');
          end();
        });
      });
    }, 1);
    spin(5);
    order.push('first');
  });
  const second = ownTurn().then(() => order.push('second'));
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'short', 'second']);
});

it('does not wait for ever for short work that does not end', async () => {
  runShortWork(() => undefined);
  runShortWork(() => undefined);
  await ownTurn();
  await ownTurn();
});

it('does not wait for work that has had a turn of its own', async () => {
  let hasEnded = false;
  await new Promise<void>((resolve) => {
    runShortWork((end) => {
      void ownTurn().then(() => {
        hasEnded = true;
        end();
      });
      void ownTurn().then(resolve);
    });
  });
  expect(hasEnded).toBe(true);
});

it('separates the steps of heavy work, and of no other', async () => {
  let turnsOfShort = 0;
  let turnsOfHeavy = 0;
  await runBackgroundWork(async () => {
    turnsOfShort = await turnsOf(betweenSteps());
    await ownTurn();
    turnsOfHeavy = await turnsOf(betweenSteps());
  });
  expect([turnsOfShort, turnsOfHeavy]).toEqual([1, 2]);
});

it('measures what runs in a turn', async () => {
  const spent = await new Promise<number>((resolve) => {
    runShortWork(() => {
      measureTurns(resolve);
      void ownTurn().then(async () => {
        spin(10);
        await Promise.resolve();
        spin(10);
      });
    });
  });
  expect(spent).toBeGreaterThanOrEqual(20);
});

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
