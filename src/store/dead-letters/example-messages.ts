// Adds to each cause the message of its earliest failure: the index has only what the messages have in common. A dead letter never
// changes, so each is read once, and not for every client that polls.
import { LRUCache } from 'lru-cache';
import type { Organization } from '../../domain/identity.ts';
import { forEachConcurrently } from '../parallel.ts';
import type { CauseRecord, CountedCause } from './causes.ts';
import type { StoredDeadLetter } from './object.ts';

export type ExampleMessages = (
  organization: Organization,
  causes: readonly CountedCause[],
) => Promise<readonly CauseRecord[]>;

/** The most frequent causes only: the others are a page that nobody reads. */
const maxCauses = 100;
const atOnce = 8;
const maxCached = 2_000;

/** @param read returns undefined for a dead letter that is gone */
export function createExampleMessages(
  read: (organization: Organization, eventId: string) => Promise<StoredDeadLetter | undefined>,
): ExampleMessages {
  const known = new LRUCache<string, string>({ max: maxCached });

  return async (organization, causes) => {
    const messages = new Map<CountedCause, string>();
    await forEachConcurrently(causes.slice(0, maxCauses), atOnce, async (cause) => {
      if (cause.oldest === undefined) return;
      const { eventId, createdVersion } = cause.oldest;
      // An event that failed again has another dead letter.
      const key = `${organization.namespace}/${eventId}/${createdVersion}`;
      const message = known.get(key) ?? (await read(organization, eventId))?.errorMessage;
      if (message === undefined) return;
      known.set(key, message);
      messages.set(cause, message);
    });
    return causes.map((cause) => ({ ...cause, exampleMessage: messages.get(cause) }));
  };
}
