import { expect, it } from 'vitest';
import { createReadingTurns } from '../../../src/store/reading-turns.ts';

it('[I7] lets one list of an organization be read at a time, and those of others beside it', async () => {
  const turns = createReadingTurns();
  const under = { acme: 0, most: 0 };
  const gate = Promise.withResolvers<void>();
  const reading = Array.from({ length: 5 }, () =>
    turns.take('acme', async () => {
      under.acme += 1;
      under.most = Math.max(under.most, under.acme);
      await gate.promise;
      under.acme -= 1;
    }),
  );
  expect(await turns.take('other', () => Promise.resolve('read'))).toBe('read');
  gate.resolve();
  await Promise.all(reading);
  expect(under).toEqual({ acme: 0, most: 1 });
});

it('[I7] lets a few wait, and asks the others to come back', async () => {
  const turns = createReadingTurns();
  const gate = Promise.withResolvers<void>();
  const reading = Array.from({ length: 30 }, () => turns.take('acme', () => gate.promise));
  const settled = Promise.allSettled(reading);
  gate.resolve();
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(13);
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable', retryAfter: 1 } });
});

it('goes on after a list that failed', async () => {
  const turns = createReadingTurns();
  const failing = turns.take('acme', () => Promise.reject(new Error('down')));
  const next = turns.take('acme', () => Promise.resolve('read'));
  await expect(failing).rejects.toThrow('down');
  expect(await next).toBe('read');
});
