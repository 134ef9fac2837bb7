// Builds histories by hand, for the tests of the checker: a resource that is correctly created, changed and deleted.
import type { Resource, ResourceStatus } from '../../../../src/crds/resource.ts';
import { eventId } from '../../../../src/domain/event.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { aResource, contentOfResource } from '../../fixtures/builders.ts';
import { checkHistory } from './checker.ts';
import type { Call, DeadLetter, Delivery, History, Version } from './model.ts';

export const name = 'postgres/database/orders';
export const uid = 'uid-1';
export const small = { size: 1 };
export const large = { size: 2 };
export const create = eventId({ uid, generation: 1, content: contentWith(small) }, 'CREATE');
export const update = eventId({ uid, generation: 2, content: contentWith(large) }, 'UPDATE');
export const remove = eventId({ uid, generation: 2, content: contentWith(small) }, 'DELETE');

function contentWith(config: Resource['spec']['config']): string {
  return contentOfResource(aResource({ spec: { config } }));
}

interface Step {
  readonly config?: JsonObject;
  readonly generation?: number;
  readonly status?: Partial<ResourceStatus> & { readonly id?: string };
  readonly deleting?: boolean;
  readonly type?: Version['type'];
  readonly gap?: boolean;
  readonly lifecycle?: 'Draft' | 'Committed';
}

let revision = 0;

/** One stored version; each is later than the one built before it. */
export function version({
  config = small,
  generation = 1,
  lifecycle = 'Committed',
  status,
  deleting = false,
  type = 'MODIFIED',
  gap = false,
}: Step): Version {
  revision += 1;
  const bare = aResource({
    spec: { config: config as Resource['spec']['config'], lifecycle },
    metadata: {
      uid,
      generation,
      resourceVersion: String(revision),
      ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
  });
  if (status === undefined) return { at: revision, type, gap, kind: 'Resource', object: bare };
  const { id = create, ...rest } = status;
  const content = contentOfResource(bare);
  const event = {
    id,
    type: 'CREATE',
    generation,
    content,
    declared: content,
    attempt: 1,
    sequence: 1,
    startedAt: 'x',
  } as const;
  const whole: ResourceStatus = {
    state: 'processing',
    reason: 'Processing',
    observedGeneration: generation,
    content,
    event,
    ...rest,
  };
  return { at: revision, type, gap, kind: 'Resource', object: { ...bare, status: whole } };
}

export function deadLetter(id: string, type: Version['type'] = 'ADDED'): Version {
  revision += 1;
  const object: DeadLetter = {
    metadata: { name: id, uid: `of-${id}`, resourceVersion: `${revision}` },
  };
  return { at: revision, type, gap: false, kind: 'Letter', object };
}

export function delivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    at: 0,
    eventId: create,
    eventType: 'CREATE',
    name,
    generation: 1,
    attempt: 1,
    sequence: 1,
    answered: { status: 200, outputs: { url: 'x' } },
    ...changes,
  };
}

export function applied(config: JsonObject, changes: Partial<Call> = {}): Call {
  const call = { action: 'apply', name, config, lifecycle: 'pending', status: 200 } as const;
  return { ...call, invokedAt: 0, endedAt: 1, outcome: 'ok', ...changes } as Call;
}

export const ready = { state: 'ready', reason: 'Processed', outputs: { url: 'x' } } as const;
export const born = () => version({ type: 'ADDED' });
export const claim = () => version({ status: {} });
export const done = () => version({ status: ready });

export function history(changes: Partial<History> = {}): History {
  return {
    calls: [applied(small)],
    versions: [born(), claim(), done()],
    deliveries: [delivery()],
    faults: [],
    ...changes,
  };
}

export function broken(changes: Partial<History>): readonly string[] {
  return checkHistory(history(changes)).map(({ invariant, message }) => `${invariant} ${message}`);
}
