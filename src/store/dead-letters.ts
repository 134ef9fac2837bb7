// Dead letters: ConfigMaps, one per event, named after the event id, immutable, so that kubectl reads them like a list.
import type { KubeClient } from '../kube/api.ts';
import { hasReason } from '../kube/errors.ts';
import { type DeadLetter, type LetterObject, toConfigMap } from './dead-letter-object.ts';
import { configMapKind } from './kinds.ts';
import { read } from './put.ts';

export interface DeadLetterStore {
  /** Writes the letter of an event; one that is there from an earlier try is replaced. Safe to repeat after a crash. */
  bury(letter: DeadLetter): Promise<void>;
}

export function createDeadLetterStore({ client }: { client: KubeClient }): DeadLetterStore {
  return {
    async bury(letter) {
      const object = toConfigMap(letter);
      if (await create(client, object)) return;
      const ref = { namespace: letter.resource.namespace, name: letter.eventId };
      const earlier = await read<LetterObject>(client, configMapKind, ref);
      const { uid } = earlier?.metadata ?? {};
      // The uid keeps a letter that somebody wrote after this look.
      if (uid !== undefined) await client.delete(configMapKind, ref, { uid });
      await client.create<LetterObject>(configMapKind, object);
    },
  };
}

/** @returns false when a letter of this event exists */
async function create(client: KubeClient, object: LetterObject): Promise<boolean> {
  try {
    await client.create<LetterObject>(configMapKind, object);
    return true;
  } catch (thrown) {
    if (hasReason(thrown, 'alreadyExists')) return false;
    throw thrown;
  }
}
