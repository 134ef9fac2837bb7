// Records for the rest of the program: plain values without Kubernetes types, times as ISO 8601 UTC text.
import type { ResourceAddress, ResourceTuple } from '../domain/identity.ts';
import type { Dependency, LifecycleState } from '../domain/lifecycle.ts';
import type { ObjectIdentity } from '../domain/objects/identity.ts';
import type { Drift, RequestedObservation } from '../domain/observation/drift.ts';
import type { Progress } from '../domain/progress/value.ts';
import type { ResourceOptions, WantedOptions } from '../domain/resource-options.ts';
import type { FieldOrder } from '../domain/schemas/field-order.ts';
import type { RecordedSecrets } from '../domain/secrets/resource-secrets.ts';
import type { DeclaredTypeOptions } from '../domain/type-options.ts';
import type { EarlierVersion, TypeVersions } from '../domain/type-version.ts';
import type { JsonObject } from '../lib/json.ts';

export interface ResourceRecord extends ResourceTuple, ResourceOptions {
  readonly id: string;
  /** Changes with every write of the stored object; undefined when it is not stored. */
  readonly revision: string | undefined;
  readonly projectId: string;
  readonly state: LifecycleState;
  /** Reason of the state, one CamelCase word. */
  readonly reason: string;
  /** A sentence for the reason: what it waits for, when the next attempt comes. Secrets are masked. */
  readonly message: string | null;
  /** Number of the running or next attempt, while an event is under way. */
  readonly attempt: number | null;
  readonly nextAttemptAt: string | null;
  /** The report of the provider about the event that is under way. */
  readonly progress: Progress | null;
  /** Identifies the object that was imported. */
  readonly adopt: JsonObject | null;
  /** Without secrets. */
  readonly drift: Drift | null;
  readonly observation: RequestedObservation | null;
  /** Provider version that made the external object; null also for external providers. */
  readonly providerVersion: string | null;
  /** Subject of the last apply over HTTP. */
  readonly appliedBy: string | null;
  /** Name of that subject. */
  readonly appliedByName: string | undefined;
  readonly deletionRequestedAt: string | null;
  readonly config: JsonObject;
  /** The version of the type that the config has; undefined: the one that serves when its event is claimed. */
  readonly typeVersion: number | undefined;
  /** The newest version of the type that its config, the config of its last success or its outputs have. */
  readonly newestVersion: number;
  readonly outputs: JsonObject;
  /** Decides, with the schema of the type, which values viewers do not see. Never shown itself. */
  readonly secrets: RecordedSecrets;
  readonly tags: readonly string[] | null;
  readonly error: string | null;
  readonly dependencies: readonly Dependency[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The request of an apply. */
export interface WantedResource {
  readonly tuple: ResourceTuple;
  /** undefined: unchanged, in an update of options. */
  readonly config: JsonObject | undefined;
  /** undefined: the newest, or the stored one for a content that does not change. */
  readonly typeVersion?: number | undefined;
  /** undefined: as it is. Such a request changes options only, and retries nothing. */
  readonly lifecycle: 'draft' | 'pending' | undefined;
  /** undefined: unchanged; null or empty: cleared. */
  readonly tags: readonly string[] | null | undefined;
  /** undefined: the default project on create, unchanged on update. */
  readonly projectId: string | undefined;
  /** undefined: none on create, unchanged on update. */
  readonly dependencies: readonly Dependency[] | undefined;
  /** undefined: unchanged. */
  readonly options?: WantedOptions | undefined;
  /** undefined: unchanged; null: none. */
  readonly adopt?: JsonObject | null | undefined;
  /** Whether a change of content deletes what the provider created, and creates it again. */
  readonly replace?: boolean | undefined;
  /** With `replace`: what it uses is replaced by the same request, so that it is replaced whatever its content is. */
  readonly isUserOfReplaced?: boolean | undefined;
  /** The set whose request this is: no other one makes a resource a member of it. */
  readonly ofSet?: string | undefined;
}

export interface ResourceFilter {
  readonly provider?: string | undefined;
  readonly resource?: string | undefined;
  /** The resource must have all of them. */
  readonly tags?: readonly string[] | undefined;
  readonly state?: LifecycleState | undefined;
  readonly drift?: boolean | undefined;
  readonly projectId?: string | undefined;
  readonly set?: string | undefined;
  /** Resources being deleted; excluded by default. */
  readonly deleting?: 'include' | 'only' | undefined;
  /** Maximum number of records; with a cursor when there are more. */
  readonly limit?: number | undefined;
  /** From an earlier page; opaque. @throws InvalidRequest when it is not a cursor of Fairlead. */
  readonly cursor?: string | undefined;
}

export interface ResourcePage {
  /** In the order of object names: nearly that of provider, resource and name. */
  readonly records: readonly ResourceRecord[];
  readonly next: string | undefined;
}

/** Scope of access: undefined is the whole organization, a string only that project. */
export type ProjectScope = string | undefined;

export interface DefinitionRecord extends DeclaredTypeOptions {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject | null;
  readonly fieldOrder: FieldOrder | undefined;
  /** 1 when the type declares none. */
  readonly typeVersion: number;
  readonly outputsSchema: JsonObject | null;
  readonly outputsFieldOrder: FieldOrder | undefined;
  readonly adoptSchema: JsonObject | null;
  /** Where outputs and `adopt` have what tells objects apart. */
  readonly identity: ObjectIdentity | null;
  /** Versions that its provider migrates from. */
  readonly earlierVersions: readonly EarlierVersion[];
  readonly tags: readonly string[] | null;
  /** The version that serves lacks the type: it accepts no resources. */
  readonly retired: { readonly version: string; readonly at: string } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface WantedDefinition extends DeclaredTypeOptions, TypeVersions {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject | undefined;
  /** Undefined: as the schema has it. */
  readonly fieldOrder?: FieldOrder | undefined;
  /** Undefined: as the schema of the outputs has it. */
  readonly outputsFieldOrder?: FieldOrder | undefined;
  readonly tags: readonly string[] | undefined;
}

export interface ProjectRecord {
  readonly projectId: string;
  readonly requirePlan: boolean;
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
