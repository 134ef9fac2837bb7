// Outgoing events and parsed answers: CloudEvents 1.0 in binary mode, and the meaning of each status.
import type { CancelsBody, DeliveredType, EventBody, RetryScope } from '../domain/event.ts';
import { cloudEventType } from '../domain/event.ts';
import { quarantineHeader } from '../domain/process-end/quarantine.ts';
import type { Progress } from '../domain/progress/value.ts';
import type { JsonObject } from '../lib/json.ts';

export interface OutgoingEvent {
  readonly id: string;
  readonly type: DeliveredType;
  readonly organizationId: string;
  readonly projectId: string;
  readonly provider: string;
  readonly resource: string;
  readonly name: string;
  readonly config: JsonObject;
  readonly schemaVersion: number;
  readonly previousConfig: JsonObject | null;
  readonly previousSchemaVersion: number | null;
  readonly outputs: JsonObject;
  readonly outputsSchemaVersion: number;
  readonly attempt: number;
  readonly sequence: number;
  readonly generation: number;
  readonly context: JsonObject | null;
  /** Only of a CANCEL. */
  readonly cancels?: CancelsBody;
  /** Only of an OBSERVE. */
  readonly adopt?: JsonObject | null;
  /** JSON Pointers in the body. */
  readonly secrets?: readonly string[];
  /** It may end the process: a pod runs it in one of its own. */
  readonly isSuspect?: boolean;
  /** The trace that the event belongs to. */
  readonly traceparent?: string | undefined;
}

export type Failure = Extract<Answer, { readonly kind: 'failed' }>;

/** The observation of a provider. Nothing but this answer means that an object is gone. */
export type Observation =
  | { readonly kind: 'observed'; readonly exists: false }
  | {
      readonly kind: 'observed';
      readonly exists: true;
      readonly config: JsonObject;
      readonly outputs: JsonObject;
      /** Undefined: the config has the version of the event. */
      readonly schemaVersion?: number;
      readonly outputsTypeVersion?: number;
      /** The config of the event in the version of the answer; undefined when they are the same. */
      readonly declared?: JsonObject;
    };

/** The answer of a provider, or the lack of one. `terminal`: a retry cannot help. */
export type Answer =
  | {
      readonly kind: 'succeeded';
      readonly outputs: JsonObject;
      /** Undefined: the answer names no version. */
      readonly outputsTypeVersion?: number;
    }
  /** To an OBSERVE. */
  | Observation
  | {
      readonly kind: 'later';
      readonly retryAfterMs: number;
      readonly message?: string;
      readonly progress?: Progress;
      readonly context?: JsonObject;
    }
  | {
      readonly kind: 'failed';
      readonly terminal: boolean;
      /** No response: the provider is the likely cause, not the event. */
      readonly unanswered?: boolean;
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs?: number;
      /** The provider asks to wait for `retryAfterMs`: with the event, or with everything. */
      readonly retryScope?: RetryScope;
      /** Its process ended with this event and others in it: one of them is to blame. */
      readonly suspect?: boolean;
      /** The last lines that the provider logged for the event: bounded, without control characters, not masked. */
      readonly log?: readonly string[];
    };

export function eventBody(event: OutgoingEvent): EventBody {
  return {
    event_id: event.id,
    event_type: event.type,
    organization_id: event.organizationId,
    project_id: event.projectId,
    provider: event.provider,
    resource: event.resource,
    name: event.name,
    config: event.config,
    schema_version: event.schemaVersion,
    previous_config: event.previousConfig,
    previous_schema_version: event.previousSchemaVersion,
    outputs: event.outputs,
    outputs_schema_version: event.outputsSchemaVersion,
    attempt: event.attempt,
    sequence: event.sequence,
    generation: event.generation,
    context: event.context,
    ...(event.cancels === undefined ? {} : { cancels: event.cancels }),
    ...(event.type === 'OBSERVE' ? { adopt: event.adopt ?? null } : {}),
    ...(event.secrets === undefined || event.secrets.length === 0
      ? {}
      : { secrets: event.secrets }),
  };
}

// The CloudEvents extension `sequence` is a text that must sort like the numbers.
const sequenceDigits = `${Number.MAX_SAFE_INTEGER}`.length;

/** Converts CloudEvents attributes to HTTP headers. Subjects consist of names that are legal in headers. */
export function eventHeaders(event: OutgoingEvent, now: Date): Record<string, string> {
  return {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': event.id,
    'ce-type': cloudEventType[event.type],
    'ce-source': '/fairlead',
    'ce-subject': `${event.provider}/${event.resource}/${event.name}`,
    'ce-time': now.toISOString(),
    'ce-datacontenttype': 'application/json',
    'ce-attempt': `${event.attempt}`,
    'ce-sequence': `${event.sequence}`.padStart(sequenceDigits, '0'),
    ...(event.isSuspect ? { [quarantineHeader]: '?1' } : {}),
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
  };
}
