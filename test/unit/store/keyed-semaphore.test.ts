import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createKeyedSemaphore } from '../../../src/store/keyed-semaphore.ts';

it('[I7] allows two reads of an organization at a time, in order, beside those of others', async () => {
  const semaphore = createKeyedSemaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const reading = gates.map(({ promise }, index) =>
    semaphore.run('acme', async () => {
      begun.push(index);
      await promise;
    }),
  );
  expect(await semaphore.run('other', () => Promise.resolve('read'))).toBe('read');
  for (const [index, gate] of gates.entries()) {
    expect(begun).toEqual([0, 1, 2, 3, 4].slice(0, index + 2));
    gate.resolve();
    await turn();
  }
  await Promise.all(reading);
});

it('continues after a failure', async () => {
  const semaphore = createKeyedSemaphore(1);
  const failing = semaphore.run('acme', () => Promise.reject(new Error('down')));
  const next = semaphore.run('acme', () => Promise.resolve('read'));
  await expect(failing).rejects.toThrow('down');
  expect(await next).toBe('read');
});
