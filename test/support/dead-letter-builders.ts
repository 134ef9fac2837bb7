// Builds dead letters with defaults, so that a test names only what matters to it.
import { type StoredDeadLetter, toConfigMap } from '../../src/store/dead-letters/object.ts';
import { label } from '../../src/store/kinds.ts';
import { now } from './builders.ts';

/** A dead letter of `aResource()`. @param number identifies the dead letter, and determines the order of time */
export function aDeadLetter(
  number: number,
  changes: Partial<StoredDeadLetter> = {},
): StoredDeadLetter {
  const eventId = eventIdOf(number);
  return {
    eventId,
    eventType: 'CREATE',
    organizationId: 'acme',
    projectId: 'default-0123456789ab',
    provider: 'postgres',
    resourceType: 'database',
    resourceName: 'orders',
    errorCode: 'PROVIDER_FAILED',
    errorMessage: 'PROVIDER_FAILED: connection refused',
    attemptCount: 5,
    failedAt: new Date(now.getTime() + number * 1_000),
    payload: {},
    resource: { name: 'orders', namespace: 'fl-acme-0123456789ab', uid: 'uid-1' },
    generation: 1,
    uid: `letter-${number}`,
    resourceVersion: '9',
    createdVersion: '9',
    cause: '0123456789ab',
    marked: false,
    hasCauseLabel: true,
    ...changes,
  };
}

export function eventIdOf(number: number): string {
  return `evt-${number.toString(16).padStart(32, '0')}`;
}

/** The dead letter as it is stored. */
export function deadLetterObject(deadLetter: StoredDeadLetter) {
  const { metadata, ...object } = toConfigMap(deadLetter);
  const { uid, resourceVersion, marked } = deadLetter;
  const labels = { ...metadata.labels, ...(marked ? { [label.superseded]: 'true' } : {}) };
  return { ...object, metadata: { ...metadata, labels, uid, resourceVersion } };
}
