// The event protocol between Fairlead and providers as data: CloudEvents 1.0 attributes, bodies and answers. The SDK shares
// this file; it imports only JSON types, so that providers ship no code of ours.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../lib/json.ts';
import type { Progress } from './progress/value.ts';

/** OBSERVE is claimed for an import alone; any other observation is neither claimed nor recorded, because it only reads. */
export const eventTypes = ['CREATE', 'UPDATE', 'DELETE', 'OBSERVE'] as const;
export type EventType = (typeof eventTypes)[number];

/** CANCEL asks the provider to end the work on another event. Only the other types are claimed and recorded. */
export const deliveredTypes = [...eventTypes, 'CANCEL'] as const;
export type DeliveredType = (typeof deliveredTypes)[number];

export const cloudEventType: Readonly<Record<DeliveredType, string>> = {
  CREATE: 'dev.fairlead.resource.create',
  UPDATE: 'dev.fairlead.resource.update',
  DELETE: 'dev.fairlead.resource.delete',
  OBSERVE: 'dev.fairlead.resource.observe',
  CANCEL: 'dev.fairlead.resource.cancel',
};

/** @returns the code of a failure as it is recorded: codes become labels of metrics, and have no other characters */
export function plainCode(code: string): string {
  return code.replace(/[^A-Za-z0-9_.-]/g, '_');
}

/** JSON body of an event (`ce-datacontenttype: application/json`). Field names are part of the interface. */
export interface EventBody {
  event_id: string;
  event_type: DeliveredType;
  organization_id: string;
  project_id: string;
  provider: string;
  resource: string;
  name: string;
  config: JsonObject;
  /** Version of the type by whose schema `config` is read; 1 for a type without versions, as in the next two. */
  schema_version: number;
  /** The config of the last success; null on CREATE. */
  previous_config: JsonObject | null;
  /** Version that `previous_config` has; null with it. */
  previous_schema_version: number | null;
  outputs: JsonObject;
  /** Version that `outputs` have. */
  outputs_schema_version: number;
  /** Counts from 1; a 202 answer does not increase it. */
  attempt: number;
  /** Greater than in every earlier delivery for this resource; equal when one delivery is repeated. */
  sequence: number;
  generation: number;
  /** The context of the provider's last 202, at most 16 KiB; null at first. A DELETE starts with that of the unfinished event. */
  context: JsonObject | null;
  /** Only on CANCEL. */
  cancels?: CancelsBody;
  /** Only on OBSERVE: what identifies an object that Fairlead did not create; null for one that it did. */
  adopt?: JsonObject | null;
  /** JSON Pointers in this body of values that are secret, whether or not the schemas of the type mark them. Absent: none. */
  secrets?: readonly string[];
}

/** The event that a CANCEL ends, because the resource is being deleted. */
export interface CancelsBody {
  event_id: string;
  event_type: Exclude<EventType, 'DELETE' | 'OBSERVE'>;
  /** True: the operation that the event began with 202. False: the handler that runs for the event now. */
  operation: boolean;
}

/** How long a handler may run, from the start of a delivery to its answer, unless its type declares another limit. */
export const defaultTimeoutSeconds = 30;
/** The longest wait until the next delivery that an answer may ask for, a 202 or a 429. More is cut to it. */
export const maxAskedSeconds = 3_600;

/** 200: done. Outputs must be an object. */
export interface SucceededBody {
  outputs: JsonObject;
  /** Version of the type that the outputs have. Absent: the one that served when the event was sent. */
  outputs_schema_version?: number;
}

/** 200 to an OBSERVE. Only `exists: false` means that nothing is there: every other answer is no observation. */
export type ObservedBody =
  | { exists: false }
  | {
      exists: true;
      /** The object, in the form of the config. Values that cannot be read are left out. */
      config: JsonObject;
      outputs: JsonObject;
      /** Version of the type that `config` has. Absent: that of the event. */
      schema_version?: number;
      /** Version of the type that the outputs have. Absent: the one that served when the event was sent. */
      outputs_schema_version?: number;
      /** The config of the event in the version of this answer; present when the event has an earlier one. */
      declared?: JsonObject;
    };

/** The largest outputs of one resource, in bytes of compact JSON. */
export const maxOutputsBytes = 262_144;
/** The largest answer of a provider, in bytes. */
export const maxAnswerBytes = 512 * 1_024;
/** The largest `context`, as JSON. */
export const maxContextBytes = 16 * 1_024;

/** 202: not finished; poll again after `retry_after` seconds with the same id and this context. */
export interface LaterBody {
  retry_after: number;
  message?: string;
  /** Numbers of at least 0; `done` is never above `total`. */
  progress?: Pick<Progress, 'done' | 'total'>;
  context?: JsonObject;
}

/** Only the event, or every event of the provider in the organization. */
export type RetryScope = 'resource' | 'provider';

/** 4xx: terminal (408, 425 and 429 are retried); 5xx: retried. */
export interface FailedBody {
  error: { code: string; message: string };
  /** The part of the provider that waits, in a 429 with `Retry-After`. */
  retry_scope?: RetryScope;
  /** The last lines that the provider logged for the event, the newest last. */
  log?: readonly string[];
}

/** Limits of `log`; of more, the oldest lines are dropped. */
export const maxLogLines = 50;
export const maxLogBytes = 16 * 1_024;
/** A longer line is cut. */
export const maxLogLineBytes = 2_048;

export const eventIssuer = 'fairlead';

export function eventAudience(organizationId: string, provider: string): string {
  return `provider:${organizationId}/${provider}`;
}

export interface EventSource {
  readonly uid: string;
  readonly generation: number;
  readonly content: string;
}

/**
 * The identity of an event and its idempotency key: the same for every attempt and every retry.
 * @param uid uid of the Kubernetes object  @param generation `metadata.generation` when it was claimed
 * @param content hash of the content: after a restore of etcd, generations repeat with other contents
 */
export function eventId({ uid, generation, content }: EventSource, type: EventType): string {
  const source = `${uid}/${generation}/${type}/${content}`;
  const digest = createHash('sha256').update(source).digest('hex');
  return `evt-${digest.slice(0, 32)}`;
}

/** @returns the identity of the CANCEL of an event */
export function cancelId(event: string): string {
  const digest = createHash('sha256').update(`${event}/CANCEL`).digest('hex');
  return `evt-${digest.slice(0, 32)}`;
}

/** Requests besides events: signed like them, to the same address, without retries. A provider that lacks one answers 4xx. */
export const requestTypes = ['MIGRATE', 'CHECK', 'LIST', 'PLAN'] as const;
export type RequestType = (typeof requestTypes)[number];
/** Requests that need no claim. */
export type AskedType = RequestType | 'OBSERVE';

export const cloudRequestType: Readonly<Record<AskedType, string>> = {
  OBSERVE: cloudEventType.OBSERVE,
  MIGRATE: 'dev.fairlead.type.migrate',
  CHECK: 'dev.fairlead.provider.check',
  LIST: 'dev.fairlead.resource.list',
  PLAN: 'dev.fairlead.type.plan',
};

/** Code of the 422 with which a provider refuses to migrate a config: it does not fit, or the step failed. */
export const migrationFailed = 'migration_failed';
/** Code of the 422 with which a provider refuses settings. */
export const settingsRefused = 'settings_refused';

/** Requests a config in the newest form of its type. Pure: the provider reads nothing else. */
export interface MigrateBody {
  event_id: string;
  event_type: 'MIGRATE';
  organization_id: string;
  provider: string;
  resource: string;
  /** The version of the type that `config` fits. References are not resolved. */
  schema_version: number;
  config: JsonObject;
}

/** 200 to a MIGRATE. */
export interface MigratedBody {
  config: JsonObject;
  /** The newest version of the type, which `config` has now. */
  schema_version: number;
}

/** Asks whether the provider would work with other settings than its own. 200: it would. */
export interface CheckBody {
  event_id: string;
  event_type: 'CHECK';
  organization_id: string;
  provider: string;
  /** By name, in the stored form. A field in neither list has no value. */
  settings: Readonly<Record<string, string>>;
  /** Settings whose values stay. They are secret, so the process takes its own. */
  unchanged: readonly string[];
}

/** Asks which objects of a type exist, whoever created them. */
export interface ListBody {
  event_id: string;
  event_type: 'LIST';
  organization_id: string;
  provider: string;
  resource: string;
  /** The cursor of the page before; null for the first one. */
  cursor: string | null;
}

/** 200 to a LIST. */
export interface ListedBody {
  items: readonly ListedItem[];
  /** Absent on the last page. */
  cursor?: string;
}

export interface ListedItem {
  /** Identifies the object in an import. */
  adopt: JsonObject;
  /** A name for the resource. */
  name?: string;
  config?: JsonObject;
}

/** The most items of one page. */
export const maxListedItems = 1_000;
/** Characters of the cursor of a page. */
export const maxListCursorLength = 4_096;

/** Asks for the rules of a type about configs that are about to be stored. Pure: the provider changes nothing. */
export interface PlanBody {
  event_id: string;
  event_type: 'PLAN';
  organization_id: string;
  provider: string;
  resource: string;
  /** The resources of the type in one apply, in its order. */
  members: readonly PlanMemberBody[];
}

export interface PlanMemberBody
  extends Pick<
    EventBody,
    | 'project_id'
    | 'name'
    | 'config'
    | 'schema_version'
    | 'previous_config'
    | 'previous_schema_version'
    | 'outputs'
    | 'outputs_schema_version'
    | 'secrets'
  > {
  /** JSON Pointers in `config` of texts with a reference whose value is not known yet. */
  unknown: readonly string[];
}

/** 200 to a PLAN: an answer for each member, in their order. */
export interface PlannedBody {
  members: readonly PlannedMemberBody[];
}

/** An empty object accepts the config. */
export interface PlannedMemberBody {
  refuse?: readonly RefusalBody[];
  /** JSON Pointers in the config of values that cannot change while the object exists. */
  replace?: readonly string[];
  /** Outputs that are known before the event. */
  outputs?: JsonObject;
  /** The rules could not be applied, and why. */
  error?: string;
}

export interface RefusalBody {
  /** JSON Pointer in the config; the empty one is the whole config. */
  path: string;
  message: string;
}

/** The time of the rules of one PLAN. */
export const planLimitMs = 2_000;
/** Refusals of one answer; an apply with one is refused as a whole. */
export const maxPlanRefusals = 100;
/** Characters of the sentence of a refusal. */
export const maxPlanSentence = 500;
/** Values of one member that cannot change. */
export const maxPlanReplacements = 20;
/** Known outputs of one member, in bytes of compact JSON. */
export const maxPlanOutputsBytes = 16 * 1_024;
