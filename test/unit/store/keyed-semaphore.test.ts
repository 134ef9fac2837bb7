import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createKeyedSemaphore } from '../../../src/store/keyed-semaphore.ts';

it('[I7] lets two of an organization be read at a time, in the order they came, and those of others beside them', async () => {
  const turns = createKeyedSemaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const reading = gates.map(({ promise }, index) =>
    turns.take('acme', async () => {
      begun.push(index);
      await promise;
    }),
  );
  expect(await turns.take('other', () => Promise.resolve('read'))).toBe('read');
  for (const [index, gate] of gates.entries()) {
    expect(begun).toEqual([0, 1, 2, 3, 4].slice(0, index + 2));
    gate.resolve();
    await turn();
  }
  await Promise.all(reading);
});

it('goes on after one that failed', async () => {
  const turns = createKeyedSemaphore(1);
  const failing = turns.take('acme', () => Promise.reject(new Error('down')));
  const next = turns.take('acme', () => Promise.resolve('read'));
  await expect(failing).rejects.toThrow('down');
  expect(await next).toBe('read');
});
