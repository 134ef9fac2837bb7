// Converts a dead letter to a ConfigMap and back: named after its event, immutable, with labels for kubectl lists. Anybody
// can write a ConfigMap with our label; only a complete dead letter is accepted.

import type { Resource } from '../../crds/resource.ts';
import { eventIdPattern } from '../../domain/dead-letter.ts';
import { type EventType, eventTypes } from '../../domain/event.ts';
import { fingerprint } from '../../domain/failures/fingerprint.ts';
import { isObjectName, isTuple, keyOf, slashed } from '../../domain/identity.ts';
import { logExcerpt } from '../../domain/log-excerpt.ts';
import type { KubeObject, ObjectMeta } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import type { JsonObject } from '../../lib/json.ts';
import { jsonIn } from '../../lib/json.ts';
import { annotation, label } from '../kinds.ts';
import { contentHashOf } from '../resources/content.ts';
import { hasFailed, isDeletionEvent, isReplacementDue, requeueAsked } from '../resources/state.ts';
import { existsAnnotations, existsIn } from './exists.ts';

export interface DeadLetter {
  readonly eventId: string;
  readonly eventType: EventType;
  readonly organizationId: string;
  readonly projectId: string;
  readonly provider: string;
  readonly resourceType: string;
  readonly resourceName: string;
  /** Bounded and clean text, at most 4 KiB. */
  readonly errorMessage: string;
  readonly errorCode: string;
  /** The last lines that the provider logged for the event, with secrets masked. Absent: none. */
  readonly log?: readonly string[];
  /** Whether the object of the resource exists, as one observation said after the failure; undefined when nothing is known. */
  readonly exists?: boolean | undefined;
  readonly attemptCount: number;
  readonly failedAt: Date;
  /** The payload sent to the provider, with secrets masked. */
  readonly payload: JsonObject;
  /** The failed object; a dead letter with another uid belongs to a resource that is gone. */
  readonly resource: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly generation: number;
}

export interface StoredDeadLetter extends DeadLetter {
  /** Uid of the ConfigMap. */
  readonly uid: string;
  readonly resourceVersion: string;
  /** The resourceVersion with which it was created: relabelling changes that of the object. Orders failures by no clock. */
  readonly createdVersion: string;
  /** Fingerprint of the failure: equal for dead letters that one repair probably fixes. */
  readonly cause: string;
  /** True when labelled as superseded; it can be superseded without the label. */
  readonly marked: boolean;
  /** False when the label of the cause has another value: lists of one cause do not find it. */
  readonly hasCauseLabel: boolean;
}

export interface DeadLetterObject extends KubeObject {
  immutable?: boolean;
  data?: Record<string, string>;
}

export function toConfigMap(deadLetter: DeadLetter): DeadLetterObject {
  const { resource, log = [] } = deadLetter;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: deadLetter.eventId,
      namespace: resource.namespace,
      labels: {
        [label.managedBy]: 'fairlead',
        [label.deadLetter]: 'true',
        [label.provider]: deadLetter.provider,
        [label.eventType]: deadLetter.eventType,
        [label.cause]: deadLetterCause(deadLetter),
      },
      ...existsAnnotations(deadLetter.exists),
    },
    immutable: true,
    data: {
      event_id: deadLetter.eventId,
      event_type: deadLetter.eventType,
      organization_id: deadLetter.organizationId,
      project_id: deadLetter.projectId,
      provider: deadLetter.provider,
      resource_type: deadLetter.resourceType,
      resource_name: deadLetter.resourceName,
      error_code: deadLetter.errorCode,
      error_message: deadLetter.errorMessage,
      attempt_count: String(deadLetter.attemptCount),
      failed_at: deadLetter.failedAt.toISOString(),
      payload: JSON.stringify(deadLetter.payload),
      resource_object: resource.name,
      resource_uid: resource.uid,
      generation: String(deadLetter.generation),
      ...(log.length === 0 ? {} : { log_excerpt: JSON.stringify(log) }),
    },
  };
}

/** @returns the dead letter; undefined when the object is not one */
export function fromConfigMap({
  metadata,
  data = {},
}: DeadLetterObject): StoredDeadLetter | undefined {
  const { name, namespace = '', uid, resourceVersion, labels = {} } = metadata;
  const text = (key: string) => data[key] ?? '';
  const eventType = eventTypes.find((type) => type === data['event_type']);
  const payload = storedObject(data['payload']);
  if (uid === undefined || resourceVersion === undefined) return undefined;
  if (eventType === undefined || payload === undefined) return undefined;
  const deadLetter: StoredDeadLetter = {
    eventId: text('event_id'),
    eventType,
    organizationId: text('organization_id'),
    projectId: text('project_id'),
    provider: text('provider'),
    resourceType: text('resource_type'),
    resourceName: text('resource_name'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    log: logExcerpt(jsonIn(data['log_excerpt'] ?? '')),
    exists: existsIn(metadata),
    attemptCount: whole(data['attempt_count']),
    failedAt: new Date(text('failed_at')),
    payload,
    resource: { name: text('resource_object'), namespace, uid: text('resource_uid') },
    generation: whole(data['generation']),
    uid,
    resourceVersion,
    createdVersion: createdVersionOf(metadata, resourceVersion),
    cause: '',
    marked: labels[label.superseded] === 'true',
    hasCauseLabel: false,
  };
  const ours = labels[label.deadLetter] === 'true' && name === deadLetter.eventId;
  if (!ours || !isWholeDeadLetter(deadLetter)) return undefined;
  // Not from the label, which anybody may change.
  const cause = deadLetterCause(deadLetter);
  return { ...deadLetter, cause, hasCauseLabel: labels[label.cause] === cause };
}

/**
 * Returns whether the resource has moved on without the dead letter, so that nothing is left to retry. The event identifies
 * its resource: no two objects claim the same one, and a resource restored from a backup has another uid and the same event.
 */
export function isSuperseded(
  deadLetter: Pick<DeadLetter, 'eventId'>,
  resource: Resource | undefined,
): boolean {
  if (resource === undefined) return true;
  const { metadata, spec, status } = resource;
  if (status?.event?.id !== deadLetter.eventId || !hasFailed(resource)) return true;
  if (requeueAsked(resource) !== undefined) return true;
  // Other content cannot stop a deletion. The DELETE of a replacement gives way to it, and to a deletion.
  if (isDeletionEvent(status.event)) return false;
  const isReplaced = status.content !== contentHashOf(spec) || isReplacementDue(resource);
  return metadata.deletionTimestamp !== undefined || isReplaced;
}

function deadLetterCause(deadLetter: DeadLetter): string {
  const { errorCode: code, errorMessage: message } = deadLetter;
  return fingerprint(deadLetter.provider, { code, message }, deadLetterNames(deadLetter));
}

/** The names of a dead letter's resource in error texts. */
export function deadLetterNames(
  deadLetter: Pick<
    DeadLetter,
    'provider' | 'resourceType' | 'resourceName' | 'resource' | 'projectId'
  >,
): readonly string[] {
  const { provider, resourceType, resourceName: name, resource, projectId } = deadLetter;
  const tuple = { provider, resource: resourceType, name };
  return [slashed(tuple), keyOf(tuple), name, resource.name, projectId];
}

function isWholeDeadLetter(deadLetter: StoredDeadLetter): boolean {
  const { provider, resourceType, resourceName, resource } = deadLetter;
  return (
    eventIdPattern.test(deadLetter.eventId) &&
    isTuple({ provider, resource: resourceType, name: resourceName }) &&
    isObjectName(resource.name) &&
    resource.uid !== '' &&
    deadLetter.attemptCount >= 0 &&
    deadLetter.generation >= 0 &&
    deadLetter.errorMessage.length <= maxTextLength &&
    deadLetter.errorCode.length <= maxTextLength &&
    !Number.isNaN(deadLetter.failedAt.getTime())
  );
}

const maxTextLength = 4_096;

/** Users of the namespace may write annotations: a version that is newer than the object is none. */
function createdVersionOf({ annotations }: ObjectMeta, present: string): string {
  const recorded = annotations?.[annotation.createdVersion] ?? '';
  return /^[1-9]\d{0,19}$/.test(recorded) && !isNewer(recorded, present) ? recorded : present;
}

/** @returns -1 for anything but an integer from 0 */
function whole(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

function storedObject(text = '{}'): JsonObject | undefined {
  const value = jsonIn(text ?? '');
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}
