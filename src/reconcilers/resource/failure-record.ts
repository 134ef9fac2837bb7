// What is written down when an event failed, or a resource is let go: dead letters and receipts. Secrets are masked here,
// by the schema of the type, before any text leaves for a status, an Event or a ConfigMap.
import type { ClaimedEvent } from '../../crds/resource.ts';
import type { JsonObject } from '../../domain/json.ts';
import { mask, maskText, secretsIn } from '../../domain/sensitive.ts';
import type { DeadLetter } from '../../store/dead-letter-object.ts';
import type { Receipt } from '../../store/receipts.ts';
import type { Observed } from './observe.ts';

const longestError = 4_096;

/** @returns `CODE: message`, without the secrets of the config that was sent */
export function errorText(
  { code, message }: { code: string; message: string },
  { schema, resolution }: Pick<Observed, 'schema' | 'resolution'>,
): string {
  const secrets = schema === undefined ? [] : secretsIn(schema, resolution.config);
  return maskText(`${code}: ${message}`, secrets).slice(0, longestError);
}

export function letterOf(
  event: ClaimedEvent,
  observed: Observed,
  { code, error, now }: { code: string; error: string; now: Date },
): DeadLetter {
  const { resource, organizationId = '' } = observed;
  const { metadata, spec } = resource;
  return {
    eventId: event.id,
    eventType: event.type,
    organizationId,
    projectId: spec.project,
    provider: spec.provider,
    resourceType: spec.resource,
    resourceName: spec.name,
    errorCode: code,
    errorMessage: error,
    attemptCount: event.attempt,
    failedAt: now,
    payload: {
      event_id: event.id,
      event_type: event.type,
      provider: spec.provider,
      resource: spec.resource,
      name: spec.name,
      project_id: spec.project,
      generation: event.generation,
      attempt: event.attempt,
      config: maskedConfig(observed),
    },
    resource: {
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      uid: metadata.uid ?? '',
    },
    generation: event.generation,
  };
}

export function receiptOf(observed: Observed, reason: Receipt['reason'], now: Date): Receipt {
  const { resource, organizationId = '', terminating } = observed;
  const { metadata, spec, status } = resource;
  return {
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    organizationId,
    projectId: spec.project,
    provider: spec.provider,
    resourceType: spec.resource,
    resourceName: spec.name,
    config: maskedConfig(observed),
    outputs: (status?.outputs ?? {}) as JsonObject,
    error: status?.error ?? null,
    reason,
    eventId: status?.event?.id,
    at: now,
    terminating,
  };
}

/** As it is declared: references stay references. */
function maskedConfig({ resource, schema, typeRegistered }: Observed): JsonObject {
  const config = resource.spec.config as JsonObject;
  // A type without a schema names no secrets; of one that is not registered nobody can say.
  return mask(schema ?? (typeRegistered ? {} : undefined), config) as JsonObject;
}
