// Dead letters: ConfigMaps, one per event, named after the event id, immutable, so that kubectl reads them like a list.
import type { EventType } from '../domain/event.ts';
import type { KubeClient, KubeObject } from '../kube/api.ts';
import { hasReason } from '../kube/errors.ts';
import { configMapKind, label } from './kinds.ts';
import { read } from './put.ts';

export interface DeadLetter {
  readonly eventId: string;
  readonly eventType: EventType;
  readonly organizationId: string;
  readonly provider: string;
  readonly resourceType: string;
  readonly resourceName: string;
  /** Bounded and clean text, at most 4 KiB. */
  readonly errorMessage: string;
  readonly errorCode: string;
  readonly attemptCount: number;
  readonly failedAt: Date;
  /** The object that failed; a letter of another uid speaks of a resource that is gone. */
  readonly resource: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly generation: number;
}

export interface DeadLetterStore {
  /** Writes the letter of an event; one that is there from an earlier try is replaced. Safe to repeat after a crash. */
  bury(letter: DeadLetter): Promise<void>;
}

interface ConfigMap extends KubeObject {
  immutable?: boolean;
  data?: Record<string, string>;
}

export function createDeadLetterStore({ client }: { client: KubeClient }): DeadLetterStore {
  return {
    async bury(letter) {
      const object = configMapOf(letter);
      if (await create(client, object)) return;
      const ref = { namespace: letter.resource.namespace, name: letter.eventId };
      const earlier = await read<ConfigMap>(client, configMapKind, ref);
      const { uid } = earlier?.metadata ?? {};
      // The uid keeps a letter that somebody wrote after this look.
      if (uid !== undefined) await client.delete(configMapKind, ref, { uid });
      await client.create<ConfigMap>(configMapKind, object);
    },
  };
}

/** @returns false when a letter of this event exists */
async function create(client: KubeClient, object: ConfigMap): Promise<boolean> {
  try {
    await client.create<ConfigMap>(configMapKind, object);
    return true;
  } catch (thrown) {
    if (hasReason(thrown, 'alreadyExists')) return false;
    throw thrown;
  }
}

function configMapOf(letter: DeadLetter): ConfigMap {
  const { resource } = letter;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: letter.eventId,
      namespace: resource.namespace,
      labels: {
        [label.managedBy]: 'fairlead',
        [label.deadLetter]: 'true',
        [label.provider]: letter.provider,
        [label.eventType]: letter.eventType,
      },
    },
    immutable: true,
    data: {
      event_id: letter.eventId,
      event_type: letter.eventType,
      organization_id: letter.organizationId,
      provider: letter.provider,
      resource_type: letter.resourceType,
      resource_name: letter.resourceName,
      error_code: letter.errorCode,
      error_message: letter.errorMessage,
      attempt_count: String(letter.attemptCount),
      failed_at: letter.failedAt.toISOString(),
      resource_object: resource.name,
      resource_uid: resource.uid,
      generation: String(letter.generation),
    },
  };
}
