// What an index keeps of the ConfigMaps of dead letters.
import { expect, it } from 'vitest';
import {
  createDeadLetterReducer,
  type IndexedObject,
} from '../../../../src/store/dead-letters/indexed.ts';
import { fromConfigMap, type StoredDeadLetter } from '../../../../src/store/dead-letters/object.ts';
import {
  aDeadLetter,
  deadLetterObject,
} from '../../../support/fixtures/dead-letters/dead-letter-builders.ts';

const stored = (number: number, changes: Partial<StoredDeadLetter> = {}) =>
  deadLetterObject(aDeadLetter(number, changes));

it('keeps what groups and counts need, and neither payload nor message', () => {
  const object = stored(1, {
    errorMessage: 'REFUSED: orders at 10.0.0.1 in 7 ms',
    payload: { config: { note: 'x'.repeat(1_000) } },
  });
  const trimmed = createDeadLetterReducer().trim(object);
  const deadLetter = fromConfigMap(object);
  expect(trimmed).toStrictEqual({
    metadata: {
      name: deadLetter?.eventId,
      namespace: 'fl-acme-0123456789ab',
      uid: 'letter-1',
      resourceVersion: '9',
    },
    indexed: {
      eventId: deadLetter?.eventId,
      eventType: 'CREATE',
      provider: 'postgres',
      cause: deadLetter?.cause,
      errorCode: 'PROVIDER_FAILED',
      errorPattern: 'REFUSED: <name> at <address> in <n> ms',
      failedAt: deadLetter?.failedAt,
      createdVersion: '9',
      resource: 'fl-acme-0123456789ab/orders',
    },
  });
});

it('keeps a ConfigMap that is no dead letter as a name', () => {
  const { metadata, ...rest } = stored(1);
  const { indexed } = createDeadLetterReducer().trim({ ...rest, metadata, data: {} });
  expect(indexed).toBeUndefined();
});

it('keeps the text of a cause as long as one of its dead letters is cached', () => {
  const { trim, changed } = createDeadLetterReducer();
  const cached = (number: number, errorMessage: string): IndexedObject => {
    const object = trim(stored(number, { errorMessage }));
    changed(undefined, object);
    return object;
  };
  // Of one cause, because the case of letters does not count: only the spelling shows which text is kept.
  const first = cached(1, 'refused: 1');
  const second = cached(2, 'Refused: 2');
  expect(second.indexed?.errorPattern).toBe('refused: <n>');
  const marked = trim(stored(2, { errorMessage: 'Refused: 2', marked: true }));
  changed(second, marked);
  changed(first, undefined);
  expect(cached(3, 'REFUSED: 3').indexed?.errorPattern).toBe('refused: <n>');
  changed(trim(stored(3, { errorMessage: 'REFUSED: 3' })), undefined);
  changed(marked, undefined);
  expect(cached(4, 'REFUSED: 4').indexed?.errorPattern).toBe('REFUSED: <n>');
});
