// Defines the history of a run for an offline checker: requests and responses of clients, every version that the API server
// stored, and deliveries to providers. Times are milliseconds of one monotonic clock.
import type { Resource } from '../../../../src/crds/resource.ts';
import type { CancelsBody, DeliveredType } from '../../../../src/domain/event.ts';
import type { LifecycleState } from '../../../../src/domain/lifecycle.ts';
import type { KubeObject } from '../../../../src/kube/api.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

/** `provider/resource/name`, within the one organization of a history. */
export type Name = string;

/** `info`: the outcome is unknown. */
export type Outcome = 'ok' | 'fail' | 'info';

export type Call = Timed &
  (
    | {
        readonly action: 'apply';
        readonly config: JsonObject;
        readonly lifecycle: 'draft' | 'pending';
      }
    | { readonly action: 'delete' }
    | { readonly action: 'retry'; readonly eventId: string }
    /** `record` of a 200 response; undefined for a 404. */
    | { readonly action: 'read'; readonly record?: ReadRecord | undefined }
  );

interface Timed {
  readonly name: Name;
  readonly invokedAt: number;
  /** Infinity if no response arrived. */
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly status?: number | undefined;
}

export interface ReadRecord {
  readonly lifecycle_state: LifecycleState;
  readonly config: JsonObject;
}

export interface DeadLetter extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** One version of an object, as an independent watch on the API server saw it. */
export type Version = {
  readonly at: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Earlier versions may be missing: the watch had to list again. */
  readonly gap: boolean;
} & (
  | { readonly kind: 'Resource'; readonly object: Resource }
  | { readonly kind: 'Letter'; readonly object: DeadLetter }
);

export interface Delivery {
  readonly at: number;
  readonly eventId: string;
  readonly eventType: DeliveredType;
  /** Of a CANCEL. */
  readonly cancels?: CancelsBody | undefined;
  readonly name: Name;
  readonly generation: number;
  readonly attempt: number;
  readonly sequence: number;
  /** The provider's response; undefined if it broke off or never answered. */
  readonly answered?: { readonly status: number; readonly outputs?: JsonObject } | undefined;
}

export interface Injected {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

export interface History {
  readonly calls: readonly Call[];
  /** In the order of the API server. */
  readonly versions: readonly Version[];
  readonly deliveries: readonly Delivery[];
  readonly faults: readonly Injected[];
  /** When the test considered the system idle; a later write violates the guarantee. */
  readonly quietSince?: number | undefined;
}

export interface Violation {
  readonly invariant: 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I8';
  /** Name, uid or event id. */
  readonly subject: string;
  readonly message: string;
}

export type ResourceVersion = Extract<Version, { kind: 'Resource' }>;
export function nameOf({ spec }: Resource): Name {
  return `${spec.provider}/${spec.resource}/${spec.name}`;
}

export function resourceVersions({ versions }: History): readonly ResourceVersion[] {
  return versions.filter((version) => version.kind === 'Resource');
}

/** The versions of each object, by uid. */
export function livesOf(history: History): ReadonlyMap<string, readonly ResourceVersion[]> {
  return Map.groupBy(resourceVersions(history), ({ object }) => object.metadata.uid ?? '');
}

/** The final resources, by name. */
export function finalResources(history: History): ReadonlyMap<Name, Resource> {
  const left = new Map<Name, Resource>();
  for (const { type, object } of resourceVersions(history)) {
    if (type === 'DELETED') left.delete(nameOf(object));
    else left.set(nameOf(object), object);
  }
  return left;
}

/** The final dead letters, by event id. */
export function finalDeadLetters({ versions }: History): ReadonlyMap<string, DeadLetter> {
  const left = new Map<string, DeadLetter>();
  for (const version of versions) {
    if (version.kind !== 'Letter') continue;
    if (version.type === 'DELETED') left.delete(version.object.metadata.name);
    else left.set(version.object.metadata.name, version.object);
  }
  return left;
}
