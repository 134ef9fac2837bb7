import { expect, it } from 'vitest';
import {
  createCauseCounter,
  type DeadLetterRecord,
} from '../../../../src/store/dead-letters/causes.ts';
import { secondsLater } from '../../../support/builders.ts';

function aRecord(changes: Partial<DeadLetterRecord>): DeadLetterRecord {
  return {
    eventId: 'evt-1',
    eventType: 'CREATE',
    organizationId: 'acme',
    projectId: 'default-0',
    provider: 'postgres',
    resourceType: 'database',
    resourceName: 'orders',
    errorCode: 'REFUSED',
    errorMessage: 'REFUSED: orders at 10.0.0.1',
    attemptCount: 5,
    failedAt: secondsLater(0),
    payload: {},
    resource: { name: 'orders-1', namespace: 'fl-acme-0', uid: 'uid-1' },
    generation: 1,
    uid: 'u',
    resourceVersion: '1',
    cause: 'aaaaaaaaaaaa',
    marked: false,
    superseded: false,
    ...changes,
  };
}

it('there are no causes without failures', () => {
  expect(createCauseCounter().causes()).toEqual([]);
});

it('causes have counts, times and the oldest examples, in any order of letters', () => {
  const counter = createCauseCounter();
  const other = { cause: 'bbbbbbbbbbbb', errorCode: 'DENIED', errorMessage: 'DENIED: no' };
  counter.add(aRecord({ ...other, eventId: 'evt-9', failedAt: secondsLater(9) }));
  for (const at of [3, 1, 4, 2]) {
    counter.add(
      aRecord({ eventId: `evt-${at}`, failedAt: secondsLater(at), superseded: at === 4 }),
    );
  }
  expect(counter.causes()).toEqual([
    {
      provider: 'postgres',
      cause: 'aaaaaaaaaaaa',
      errorCode: 'REFUSED',
      errorMessage: 'REFUSED: <name> at <address>',
      count: 4,
      superseded: 1,
      oldestFailedAt: secondsLater(1),
      newestFailedAt: secondsLater(4),
      examples: ['evt-1', 'evt-2', 'evt-3'],
    },
    expect.objectContaining({ errorCode: 'DENIED', count: 1, examples: ['evt-9'] }),
  ]);
});

it('the same error of two providers is two causes, sorted by name', () => {
  const counter = createCauseCounter();
  counter.add(aRecord({ provider: 'redis' }));
  counter.add(aRecord({ provider: 'postgres' }));
  expect(counter.causes().map(({ provider }) => provider)).toEqual(['postgres', 'redis']);
});
