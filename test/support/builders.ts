// Builds objects with defaults, so that a test names only what matters to it.
import type { ClaimedEvent, Resource, ResourceStatus } from '../../src/crds/resource.ts';
import { resourceFinalizer } from '../../src/crds/resource.ts';
import { keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { contentHash } from '../../src/domain/lifecycle.ts';
import { defaultRetryPolicy } from '../../src/domain/retry.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Observed } from '../../src/reconcilers/resource/observe.ts';
import { createWaits, type Waits } from '../../src/reconcilers/resource/waits.ts';
import { specContent } from '../../src/store/resources/content.ts';
import { requeueAsked } from '../../src/store/resources/state.ts';

export const now = new Date('2026-01-01T00:00:00.000Z');
export const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

interface Shape {
  readonly spec?: Partial<Resource['spec']>;
  readonly status?: Partial<ResourceStatus>;
  readonly metadata?: Partial<Resource['metadata']>;
}

/** A committed resource that is not reconciled yet. */
export function aResource({ spec, status, metadata }: Shape = {}): Resource {
  const whole = {
    provider: 'postgres',
    resource: 'database',
    name: 'orders',
    project: 'default-0123456789ab',
    lifecycle: 'Committed',
    config: { name: 'orders' },
    ...spec,
  } as Resource['spec'];
  return {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: {
      name: objectNameOf(keyOf(whole)),
      namespace: 'fl-acme-0123456789ab',
      uid: 'uid-1',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [resourceFinalizer],
      ...metadata,
    },
    spec: whole,
    ...(status === undefined ? {} : { status: aStatus(status) }),
  };
}

export function aStatus(status: Partial<ResourceStatus>): ResourceStatus {
  return { state: 'pending', reason: 'Queued', observedGeneration: 1, ...status };
}

export function contentOfResource(resource: Resource): string {
  return contentHash(specContent(resource.spec));
}

/** The claim of an event for the current content of the resource. */
export function aClaim(event: Partial<ClaimedEvent> = {}): ClaimedEvent {
  return {
    id: 'evt-1',
    type: 'CREATE',
    generation: 1,
    content: contentOfResource(aResource()),
    attempt: 1,
    startedAt: now.toISOString(),
    ...event,
  };
}

/** A resource whose CREATE is in progress. */
export function inFlight(event: Partial<ClaimedEvent> = {}, shape: Shape = {}): Resource {
  const resource = aResource(shape);
  const claim = aClaim({ content: contentOfResource(resource), ...event });
  const status = {
    state: 'processing',
    reason: 'Processing',
    content: claim.content,
    event: claim,
    ...shape.status,
  } as const;
  return { ...resource, status: aStatus(status) };
}

/** A resource that is ready with its current content. */
export function readyResource(shape: Shape = {}): Resource {
  const resource = aResource(shape);
  const content = contentOfResource(resource);
  const status = {
    state: 'ready',
    reason: 'Processed',
    content,
    event: aClaim({ content }),
    outputs: { url: 'x' },
    appliedConfig: resource.spec.config,
    ...shape.status,
  } as const;
  return { ...resource, status: aStatus(status) };
}

/** The waits of a process that has just started. */
export function waitsAt(at: Date): (resource: Resource) => Waits {
  const clock = { now: () => at, monotonic: () => 0 };
  return createWaits({ clock, policy: defaultRetryPolicy });
}

/** The observation of a reconciler when nothing blocks the resource. */
export function observing(resource: Resource, changes: Partial<Observed> = {}): Observed {
  return {
    resource,
    content: contentOfResource(resource),
    hasFinalizer: resource.metadata.finalizers?.includes(resourceFinalizer) ?? false,
    organizationId: 'acme',
    suspended: false,
    full: undefined,
    typeRegistered: true,
    schema: undefined,
    violations: [],
    unusable: undefined,
    inProject: true,
    endpoint: 'http://127.0.0.1:8080',
    unready: [],
    cycle: undefined,
    resolution: {
      config: resource.spec.config as JsonObject,
      hash: resource.status?.references,
      unresolved: [],
    },
    users: [],
    requeue: requeueAsked(resource),
    forced: false,
    terminating: false,
    unrecorded: undefined,
    waits: waitsAt(now)(resource),
    ...changes,
  };
}
