// Interfaces of the stores for routes and reconcilers. The organization is always the first argument.

import type { Actor } from '../domain/actor.ts';
import type { ApplyPlanned } from '../domain/apply-plans.ts';
import type { Violation } from '../domain/errors.ts';
import type { Organization, ResourceAddress, ResourceTuple } from '../domain/identity.ts';
import type { Dependency } from '../domain/lifecycle.ts';
import type { ImmutableRule } from '../domain/schemas/immutable-changes.ts';
import type { FieldPath } from '../domain/schemas/immutable-fields.ts';
import type { RecordedSecrets } from '../domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../domain/secrets/type-schemas.ts';
import type { DeclaredTypeOptions } from '../domain/type-options.ts';
import type { JsonObject } from '../lib/json.ts';
import type {
  DefinitionRecord,
  ProjectRecord,
  ProjectScope,
  ResourceFilter,
  ResourcePage,
  ResourceRecord,
  WantedDefinition,
  WantedProject,
  WantedResource,
} from './records.ts';
import type { OutputReader } from './resources/dependencies/readers.ts';

/** Which version of its type a config shall have. */
export interface WantedVersion {
  /** By the request; undefined: the newest that the config fits. */
  readonly given: number | undefined;
  /** The version of unchanged content; kept while the type accepts it. */
  readonly kept?: number | undefined;
  /** @returns the immutable fields that another default of a version would change in a config that does not declare them */
  readonly changedByDefault?: ((version: number) => Promise<readonly FieldPath[]>) | undefined;
}

/**
 * Called before content is committed; throws InvalidRequest when the type is unknown, does not accept the version, or when the
 * config breaks the schema of the version. @returns the version that the config has
 */
export type ValidateConfig = (
  config: JsonObject,
  version: WantedVersion,
) => Promise<number | undefined>;

/** The parts of other resources that content uses. */
export interface Uses {
  readonly config: JsonObject;
  readonly dependencies: readonly Dependency[];
  /** The version of the type by whose schema the config is read; undefined: the newest. */
  readonly typeVersion: number | undefined;
  /** @returns whether the stored content has the dependency already, or its resource exists */
  isExpected(dependency: Dependency): boolean;
  /** @returns undefined when the resource has none, and when there is no such resource in the project */
  outputsOf(dependency: Dependency): JsonObject | undefined;
}

/** Called after `ValidateConfig`; throws InvalidRequest when something that the content uses cannot work. */
export type ValidateUses = (uses: Uses) => Promise<void>;

/** The requirements of content for its type besides a valid config. */
export interface ObservingAsked {
  /** Identifies the object to import; undefined when none is imported. */
  readonly adopt: JsonObject | undefined;
  /** Whether the object is only observed. */
  readonly isObserved: boolean;
  /** Whether it was, and is managed from now on. */
  readonly isTakenOver: boolean;
}

/** Called after `ValidateConfig` for content that is imported, only observed, or taken over; throws InvalidRequest when the type does not permit it. */
export type ValidateObserving = (asked: ObservingAsked) => Promise<void>;

/**
 * @param applied the version of the type that the config of the last success has
 * @param wanted that of the config that is applied; undefined: the newest
 * @returns what may not change between the two; undefined for a type that is not known
 */
export type ImmutableFields = (
  applied: number,
  wanted: number | undefined,
) => Promise<ImmutableRule | undefined>;

/** A content about which the author of its type may have rules. */
export interface PlannedContent {
  readonly tuple: ResourceTuple;
  readonly projectId: string;
  readonly declared: JsonObject;
  /** With the references resolved whose values are known. */
  readonly config: JsonObject;
  readonly typeVersion: number;
  /** JSON Pointers of the texts in the config with a reference whose value is not known. */
  readonly unknown: readonly string[];
  /** The values of the last success; undefined when the provider would create an object. */
  readonly applied:
    | {
        readonly config: JsonObject;
        readonly typeVersion: number;
        readonly outputs: JsonObject;
        readonly outputsTypeVersion: number;
      }
    | undefined;
  /** Undefined for a new resource. */
  readonly secrets: RecordedSecrets | undefined;
  /** @returns a resource that the config refers to, as it is stored */
  readonly used: (dependency: Dependency) => ResourceRecord | undefined;
}

/** The rules of an author about one content. */
export interface AuthorAnswer {
  /** Their places begin with `body.config`. */
  readonly refusals: readonly Violation[];
  /** Places in the config that cannot change while the object exists. */
  readonly replaces: readonly (readonly string[])[];
  readonly outputs: KnownOutputs | undefined;
}

/** Outputs that are known before the event. */
export interface KnownOutputs {
  readonly all: JsonObject;
  /** For people who see no secrets. */
  readonly shown: JsonObject;
}

/**
 * Called before contents are committed, once for all of a request.
 * @returns an answer for each, in their order; undefined for one without rules, and when they cannot be asked: the event decides then
 */
export type AskAuthors = (
  contents: readonly PlannedContent[],
) => Promise<readonly (AuthorAnswer | undefined)[]>;

export interface ResourceStore {
  /** @returns a page with a limit or a cursor; otherwise everything */
  list(organization: Organization, filter: ResourceFilter): Promise<ResourcePage>;
  /** @returns everything, in pieces that are read on demand */
  listAll(
    organization: Organization,
    filter: ResourceFilter,
  ): AsyncIterable<readonly ResourceRecord[]>;
  /** @throws FairleadError `resource_not_found`, also for objects outside the scope, and for deleting ones unless requested */
  get(
    organization: Organization,
    address: ResourceAddress,
    options: GetOptions,
  ): Promise<ResourceRecord>;
  /**
   * Creates or updates, or does nothing when nothing changes.
   * @throws FairleadError resource_busy | resource_deleting | resource_committed | identity_taken | project_immutable |
   * provider_deleting, and of a replacement resource_protected | resource_in_use; InvalidRequest for an unknown project, for what `validateConfig` rejects, and for dependencies that
   * form a cycle
   */
  apply(
    organization: Organization,
    wanted: WantedResource,
    options: ApplyOptions,
  ): Promise<ResourceRecord>;
  /**
   * Decides like `apply` and writes nothing.
   * @returns the record as it would be; its revision is that of the stored resource
   * @throws the errors of `apply`
   */
  previewApply(
    organization: Organization,
    wanted: WantedResource,
    options: ApplyOptions,
  ): Promise<ApplyPreview>;
  /**
   * Requests that the object of a resource is observed now.
   * @throws FairleadError `resource_not_found`, `not_observable` for a draft and one that never succeeded
   */
  observe(
    organization: Organization,
    address: ResourceAddress,
    options: ObservationOptions,
  ): Promise<ResourceRecord>;
  /**
   * Requests an event that makes the object of a ready resource that has drifted what its config declares; does nothing for others.
   * @throws FairleadError `resource_not_found`, `not_observable` for a draft and one that never succeeded, `conflict` for one that
   * is only observed, `precondition_failed`, `provider_deleting`
   */
  correct(
    organization: Organization,
    address: ResourceAddress,
    options: CorrectionOptions,
  ): Promise<ResourceRecord>;
  /**
   * Requests deletion; does nothing when there is no such resource (in scope). A repeated request retries a teardown that
   * failed permanently.
   * @throws FairleadError resource_in_use | resource_protected
   */
  requestDeletion(
    organization: Organization,
    address: ResourceAddress,
    options: DeletionOptions,
  ): Promise<void>;
  /** Decides like `requestDeletion` and writes nothing. @throws the errors of `requestDeletion` */
  previewDeletion(
    organization: Organization,
    address: ResourceAddress,
    options: DeletionOptions,
  ): Promise<DeletionChange>;
  /** @returns the committed resources that read outputs of some of the records, as the caches know them */
  readers(
    organization: Organization,
    records: readonly ResourceRecord[],
  ): Promise<readonly OutputReader[]>;
  /**
   * @param leaving a provider whose resources do not count as users, because they are deleted too
   * @throws FairleadError resource_in_use when others depend on one of the records, resource_protected when one is protected
   */
  requireRemovable(
    organization: Organization,
    records: readonly ResourceRecord[],
    leaving: string,
  ): Promise<void>;
}

export interface GetOptions {
  readonly scope: ProjectScope;
  /** Includes a resource that is being deleted. */
  readonly deleting?: boolean | undefined;
}

/** Throws when the provider of a type does not observe objects of it. */
export type RequireObservable = (type: Omit<ResourceTuple, 'name'>) => Promise<void>;

export interface ObservationOptions {
  readonly scope: ProjectScope;
  /** A text that no other request has, at most 64 characters. */
  readonly request: string;
  readonly requireObservable: RequireObservable;
}

export interface CorrectionOptions {
  readonly scope: ProjectScope;
  /** Does not apply when nothing is corrected. */
  readonly precondition?: Precondition | undefined;
  readonly requireObservable: RequireObservable;
  /** The trace of the request, stored for the event. */
  readonly traceparent?: string | undefined;
}

/**
 * Decides whether a write may replace a revision of a resource, or create it when it does not exist. The write carries the
 * version that was checked.
 */
export type Precondition = (revision: string | undefined) => boolean;

export type ApplyChange = Exclude<ApplyPlanned, 'import'>;

export interface ApplyPreview {
  readonly change: ApplyPlanned;
  readonly record: ResourceRecord;
  /** Paths in the config of the immutable fields that a replacement changes. */
  readonly forcedBy?: readonly (readonly string[])[];
}

/** `retry` sends a failed DELETE again. */
export type DeletionChange = 'delete' | 'retry' | 'none';

export interface ApplyOptions {
  readonly scope: ProjectScope;
  readonly precondition?: Precondition | undefined;
  readonly validateConfig: ValidateConfig;
  readonly validateUses?: ValidateUses | undefined;
  readonly validateObserving?: ValidateObserving | undefined;
  readonly immutableFields?: ImmutableFields | undefined;
  readonly askAuthors?: AskAuthors | undefined;
  /** The caller, stored with every write. */
  readonly by?: Actor | undefined;
  /** The trace of the request, stored with the content for its events. */
  readonly traceparent?: string | undefined;
}

export interface DeletionOptions {
  readonly scope: ProjectScope;
  /** Does not apply to a resource that does not exist: its deletion is fulfilled. */
  readonly precondition?: Precondition | undefined;
  /** Deletes despite users, and even if its provider cannot clean up. */
  readonly force?: boolean | undefined;
  /** Leaves what the provider created. */
  readonly orphan?: boolean | undefined;
  /** A provider whose resources do not count as users, because they are deleted too. */
  readonly leaving?: string | undefined;
}

export interface DefinitionPreview {
  /** `none`: the same definition is registered already. */
  readonly change: 'create' | 'update' | 'none';
  /** As it would be. */
  readonly record: DefinitionRecord;
}

export interface DefinitionStore {
  /** Creates or replaces; afterwards `find` on this replica returns the new definition. */
  register(organization: Organization, wanted: WantedDefinition): Promise<DefinitionRecord>;
  /** Decides like `register` and writes nothing. */
  previewRegister(organization: Organization, wanted: WantedDefinition): Promise<DefinitionPreview>;
  /** Registers the types of a version that serves again, as after an unregistration. */
  registerBuilt(
    organization: Organization,
    built: { readonly version: string; readonly types: readonly WantedDefinition[] },
  ): Promise<void>;
  unregister(organization: Organization, provider: string, resource: string): Promise<void>;
  /** @returns the number of types that the provider had */
  unregisterAll(organization: Organization, provider: string): Promise<number>;
  /** @returns the number of types that a provider has, whether or not they are in force; read from the API server */
  countOf(organization: Organization, provider: string): Promise<number>;
  /** Definitions in force and retired ones, read from the API server. Sorted by provider, resource. */
  list(organization: Organization): Promise<readonly DefinitionRecord[]>;
  /** @returns the definition in force; undefined for an unknown type and for one that no version has served yet */
  find(
    organization: Organization,
    provider: string,
    resource: string,
  ): Promise<DefinitionRecord | undefined>;
  /** Like `find`, but asks the API server: the cache may be behind a version that has just taken over. */
  findFresh(
    organization: Organization,
    provider: string,
    resource: string,
  ): Promise<DefinitionRecord | undefined>;
  /** @returns the schemas in the cache of this replica, the same object until the type changes; undefined for an unknown type */
  schemasOf(
    organization: Organization,
    type: { readonly provider: string; readonly resource: string },
  ): TypeSchemas | undefined;
  /** @returns what the type declares in the cache of this replica */
  retryOf(
    organization: Pick<Organization, 'namespace'>,
    type: { readonly provider: string; readonly resource: string },
  ): DeclaredTypeOptions['retry'];
}

export interface ProjectChange {
  /** undefined: unchanged, as the other one. */
  readonly name?: string | undefined;
  readonly requirePlan?: boolean | undefined;
}

export interface ProjectStore {
  /** Sorted by project id. */
  list(organization: Organization): Promise<readonly ProjectRecord[]>;
  /** @throws FairleadError `project_not_found` */
  get(organization: Organization, projectId: string): Promise<ProjectRecord>;
  /**
   * Creates a project; for an existing one with the same id and name, returns that.
   * @param wanted without an id, one is derived from the name
   * @throws FairleadError `project_exists`
   */
  create(organization: Organization, wanted: WantedProject): Promise<ProjectRecord>;
  /** @throws FairleadError `project_not_found`, `project_managed_by_platform` */
  update(
    organization: Organization,
    projectId: string,
    change: ProjectChange,
  ): Promise<ProjectRecord>;
  /**
   * After the return, no resource is in the project and none can be added.
   * @throws FairleadError `project_not_found`, `project_managed_by_platform`, `project_in_use`
   */
  remove(organization: Organization, projectId: string): Promise<void>;
}

/** Checks that the store of resources runs around each of its writes. */
export interface ProjectGate {
  /** @returns whether the project accepts resources: it exists, and nobody is deleting it */
  isOpen(organization: Organization, projectId: string): Promise<boolean>;
  /** @returns whether the project exists, even if it is being deleted; writes nothing */
  exists(organization: Organization, projectId: string): Promise<boolean>;
  /**
   * Call it after a write: it keeps a running deletion from finishing.
   * @returns false when the project is gone, so that the written resource must be removed too
   */
  keep(organization: Organization, projectId: string): Promise<boolean>;
  /** @returns whether requests for many resources, or for a member of a set, need an approved plan */
  requiresPlan(organization: Organization, projectId: string): Promise<boolean>;
}

export interface OrganizationStore {
  /**
   * Makes sure that the organization's namespace exists and is ours; creates the Organization on first use. Cheap when it is
   * ready in the cache. @throws FairleadError `unavailable` with retryAfter after 10 s, or when the namespace belongs to
   * somebody else; `forbidden` when the organization is suspended; `organization_unknown` where tokens create none;
   * `limit_reached` or `too_many_requests` when its issuer has created too many
   */
  ensure(organization: Organization): Promise<void>;
  /** Creates nothing and waits for nothing. @throws the errors of `ensure` that another attempt would not change */
  check(organization: Organization): void;
  /**
   * Calls `cutOff` when the organization is suspended or gone, immediately when it is already.
   * @returns a function that stops watching
   */
  whenRefused(organization: Organization, cutOff: () => void): () => void;
}
