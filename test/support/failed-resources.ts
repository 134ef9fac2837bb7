// Creates permanently failed resources and their dead letters, as the reconciler leaves them, without waiting for attempts.
import { type Resource, type ResourceStatus, resourceFinalizer } from '../../src/crds/resource.ts';
import { eventId } from '../../src/domain/event.ts';
import {
  defaultProjectId,
  keyOf,
  type Organization,
  objectNameOf,
} from '../../src/domain/identity.ts';
import { contentHash } from '../../src/domain/lifecycle.ts';
import type { KubeClient } from '../../src/kube/api.ts';
import { hasReason } from '../../src/kube/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { DeadLetter } from '../../src/store/dead-letters/object.ts';
import { createDeadLetterStore } from '../../src/store/dead-letters/store.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { specContent } from '../../src/store/resources/content.ts';

/** @returns the letter of a CREATE that failed, and that would be sent again by a retry */
export async function failedResource(
  client: KubeClient,
  organization: Organization,
  deadLetter: Pick<DeadLetter, 'provider' | 'resourceName'> & Partial<DeadLetter>,
): Promise<DeadLetter> {
  const { namespace } = organization;
  const tuple = { provider: deadLetter.provider, resource: 'crate', name: deadLetter.resourceName };
  const project = defaultProjectId(organization);
  const name = objectNameOf(keyOf(tuple));
  const resource = await client.create<Resource>(kinds.resource, {
    apiVersion,
    kind: kinds.resource.kind,
    metadata: { name, namespace, finalizers: [resourceFinalizer] },
    spec: { ...tuple, project, lifecycle: 'Committed', config: { size: 1 } },
  });
  const { uid = '', generation = 1 } = resource.metadata;
  const content = contentHash(specContent(resource.spec));
  const id = eventId({ uid, generation, content }, 'CREATE');
  const whole = aDeadLetter(organization, id, {
    ...deadLetter,
    projectId: project,
    resource: { name, namespace, uid },
  });
  await createDeadLetterStore({ client, resources: none, clock: systemClock }).write(whole);
  await writeFailure(client, resource, id);
  return whole;
}

const none = { get: () => undefined };

/** @returns a dead letter, by default of a resource that does not exist */
export function aDeadLetter(
  { namespace, id: organizationId }: Organization,
  id: string,
  changes: Partial<DeadLetter> = {},
): DeadLetter {
  return {
    eventId: id,
    eventType: 'CREATE',
    organizationId,
    projectId: 'none',
    provider: 'box',
    resourceType: 'crate',
    resourceName: 'lost',
    errorCode: 'REFUSED',
    errorMessage: 'REFUSED: connect to 10.0.0.1:5432',
    attemptCount: 5,
    failedAt: new Date(),
    payload: { event_id: id, config: { size: 1 } },
    generation: 1,
    resource: { name: 'box-crate-lost-0', namespace, uid: 'gone' },
    ...changes,
  };
}

async function writeFailure(client: KubeClient, resource: Resource, id: string): Promise<void> {
  const { name, namespace = '', generation = 1 } = resource.metadata;
  const content = contentHash(specContent(resource.spec));
  const startedAt = new Date().toISOString();
  const event = { id, type: 'CREATE', generation, content, attempt: 5, startedAt } as const;
  const status: ResourceStatus = {
    state: 'failed',
    reason: 'ProviderFailed',
    observedGeneration: generation,
    content,
    event,
    error: 'REFUSED: connect to 10.0.0.1:5432',
  };
  for (;;) {
    const { metadata } = await client.get<Resource>(kinds.resource, { name, namespace });
    try {
      await client.replaceStatus(kinds.resource, {
        apiVersion,
        kind: kinds.resource.kind,
        metadata: { name, namespace, resourceVersion: metadata.resourceVersion ?? '' },
        status,
      });
      return;
    } catch (thrown) {
      // The controller also writes new resources.
      if (!hasReason(thrown, 'conflict')) throw thrown;
    }
  }
}
