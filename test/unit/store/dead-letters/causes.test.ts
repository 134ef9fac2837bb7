import { expect, it } from 'vitest';
import { createCauseCounter } from '../../../../src/store/dead-letters/causes.ts';
import type { IndexedDeadLetter } from '../../../../src/store/dead-letters/indexed.ts';
import { secondsLater } from '../../../support/fixtures/builders.ts';

function indexed(changes: Partial<IndexedDeadLetter>): IndexedDeadLetter {
  return {
    eventId: 'evt-1',
    eventType: 'CREATE',
    provider: 'postgres',
    cause: 'aaaaaaaaaaaa',
    errorCode: 'REFUSED',
    errorPattern: 'REFUSED: <name> at <address>',
    failedAt: secondsLater(0),
    createdVersion: '9',
    resource: 'fl-acme-0/orders-1',
    ...changes,
  };
}

it('there are no causes without failures', () => {
  expect(createCauseCounter().causes()).toEqual([]);
});

it('causes have counts, times and the oldest examples, in any order of letters', () => {
  const counter = createCauseCounter();
  const other = { cause: 'bbbbbbbbbbbb', errorCode: 'DENIED', errorPattern: 'DENIED: no' };
  counter.add(indexed({ ...other, eventId: 'evt-9', failedAt: secondsLater(9) }), false);
  for (const at of [5, 3, 1, 4, 2]) {
    counter.add(indexed({ eventId: `evt-${at}`, failedAt: secondsLater(at) }), at === 4);
  }
  expect(counter.causes()).toEqual([
    {
      provider: 'postgres',
      cause: 'aaaaaaaaaaaa',
      errorCode: 'REFUSED',
      errorMessage: 'REFUSED: <name> at <address>',
      count: 5,
      superseded: 1,
      oldestFailedAt: secondsLater(1),
      newestFailedAt: secondsLater(5),
      examples: ['evt-1', 'evt-2', 'evt-3'],
      oldest: expect.objectContaining({ eventId: 'evt-1' }),
    },
    expect.objectContaining({ errorCode: 'DENIED', count: 1, examples: ['evt-9'] }),
  ]);
});

it('the same error of two providers is two causes, sorted by name', () => {
  const counter = createCauseCounter();
  counter.add(indexed({ provider: 'redis' }), false);
  counter.add(indexed({ provider: 'postgres' }), false);
  expect(counter.causes().map(({ provider }) => provider)).toEqual(['postgres', 'redis']);
});
