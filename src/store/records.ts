// Records for the rest of the program: plain values without Kubernetes types, times as ISO 8601 UTC text.
import type { ResourceAddress, ResourceTuple } from '../domain/identity.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Dependency, LifecycleState } from '../domain/lifecycle.ts';

export interface ResourceRecord extends ResourceTuple {
  readonly id: string;
  readonly projectId: string;
  readonly state: LifecycleState;
  /** Why the resource is in this state, one CamelCase word. */
  readonly reason: string;
  /** The sentence beside the reason: what it waits for, which attempt comes when. Secrets are masked in it. */
  readonly message: string | null;
  /** Number of the attempt that runs or comes next, while an event is under way. */
  readonly attempt: number | null;
  readonly nextAttemptAt: string | null;
  /** Version of the provider that made what is there; null also for providers that run elsewhere. */
  readonly providerVersion: string | null;
  /** Subject of the last apply over HTTP. */
  readonly appliedBy: string | null;
  readonly deletionRequestedAt: string | null;
  readonly config: JsonObject;
  readonly outputs: JsonObject;
  readonly tags: readonly string[] | null;
  readonly error: string | null;
  readonly dependencies: readonly Dependency[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What an apply asks for. */
export interface WantedResource {
  readonly tuple: ResourceTuple;
  readonly config: JsonObject;
  readonly lifecycle: 'draft' | 'pending';
  /** undefined: kept as they are; null or empty: cleared. */
  readonly tags: readonly string[] | null | undefined;
  /** undefined: the default project on create, kept on update. */
  readonly projectId: string | undefined;
  /** undefined: none on create, kept on update. */
  readonly dependencies: readonly Dependency[] | undefined;
}

export interface ResourceFilter {
  readonly provider?: string | undefined;
  readonly resource?: string | undefined;
  /** Every one must be on the resource. */
  readonly tags?: readonly string[] | undefined;
  readonly state?: LifecycleState | undefined;
  readonly projectId?: string | undefined;
  /** Those that are being deleted: left out unless told. */
  readonly deleting?: 'include' | 'only' | undefined;
  /** At most this many, and a cursor when there are more. */
  readonly limit?: number | undefined;
  /** From an earlier page; opaque. @throws InvalidRequest when it is none of ours. */
  readonly cursor?: string | undefined;
}

export interface ResourcePage {
  /** Sorted by provider, resource, name. */
  readonly records: readonly ResourceRecord[];
  readonly next: string | undefined;
}

/** Who may touch what: undefined is the whole organization, a string only that project. */
export type ProjectScope = string | undefined;

export interface DefinitionRecord {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject | null;
  readonly tags: readonly string[] | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface WantedDefinition {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject | undefined;
  readonly tags: readonly string[] | undefined;
}

export interface ProjectRecord {
  readonly projectId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly managedBy: 'user' | 'platform' | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface WantedProject {
  readonly projectId: string | undefined;
  readonly name: string;
}

export type { ResourceAddress, ResourceTuple };
