// Interfaces of the stores for routes and reconcilers. The organization is always the first argument.
import type { Organization, ResourceAddress } from '../domain/identity.ts';
import type { JsonObject } from '../domain/json.ts';
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

/** Called before content is committed; throws InvalidRequest when the type is unknown or the config breaks its schema. */
export type ValidateConfig = (config: JsonObject) => Promise<void>;

export interface ResourceStore {
  list(organization: Organization, filter: ResourceFilter): Promise<ResourcePage>;
  /** @throws FairleadError `resource_not_found`, also for objects outside the scope, and being deleted unless asked for */
  get(
    organization: Organization,
    address: ResourceAddress,
    options: GetOptions,
  ): Promise<ResourceRecord>;
  /**
   * Creates or updates, or leaves as it is when nothing changes.
   * @throws FairleadError resource_busy | resource_deleting | resource_committed | identity_taken | project_immutable |
   *   provider_deleting,
   *   InvalidRequest for an unknown project, for what `validateConfig` rejects, and for dependencies that form a cycle
   */
  apply(
    organization: Organization,
    wanted: WantedResource,
    options: ApplyOptions,
  ): Promise<ResourceRecord>;
  /**
   * Asks for deletion; nothing happens when there is no such resource (in scope). Asked again of one whose teardown
   * failed for good, it is tried again.
   * @throws FairleadError resource_in_use
   */
  requestDeletion(
    organization: Organization,
    address: ResourceAddress,
    options: DeletionOptions,
  ): Promise<void>;
  /**
   * @param leaving a provider whose resources do not count as users, because they go too
   * @throws FairleadError resource_in_use when others depend on one of the records
   */
  requireUnused(
    organization: Organization,
    records: readonly ResourceRecord[],
    leaving: string,
  ): Promise<void>;
}

export interface GetOptions {
  readonly scope: ProjectScope;
  /** Also when it is being deleted. */
  readonly deleting?: boolean | undefined;
}

export interface ApplyOptions {
  readonly scope: ProjectScope;
  readonly validateConfig: ValidateConfig;
  /** Subject of the caller, written with whatever is written. */
  readonly by?: string | undefined;
}

export interface DeletionOptions {
  readonly scope: ProjectScope;
  /** Whoever uses it, and whether or not its provider can clean up behind it. */
  readonly force?: boolean | undefined;
  /** A provider whose resources do not count as users, because they go too. */
  readonly leaving?: string | undefined;
}

export interface DefinitionStore {
  /** Creates or replaces; afterwards `find` on this replica answers the new definition. */
  register(organization: Organization, wanted: WantedDefinition): Promise<DefinitionRecord>;
  unregister(organization: Organization, provider: string, resource: string): Promise<void>;
  /** Sorted by provider, resource. */
  list(organization: Organization): Promise<readonly DefinitionRecord[]>;
  find(
    organization: Organization,
    provider: string,
    resource: string,
  ): Promise<DefinitionRecord | undefined>;
}

export interface ProjectStore {
  /** Sorted by project id. */
  list(organization: Organization): Promise<readonly ProjectRecord[]>;
  /** @throws FairleadError `project_not_found` */
  get(organization: Organization, projectId: string): Promise<ProjectRecord>;
  /**
   * Makes a project; asked again for the same id and name, answers the one that is there.
   * @param wanted without an id one is made from the name
   * @throws FairleadError `project_exists`
   */
  create(organization: Organization, wanted: WantedProject): Promise<ProjectRecord>;
  /** @throws FairleadError `project_not_found`, `project_managed_by_platform` */
  rename(organization: Organization, projectId: string, name: string): Promise<ProjectRecord>;
  /**
   * When this returns, no resource is in the project and none can be let in.
   * @throws FairleadError `project_not_found`, `project_managed_by_platform`, `project_in_use`
   */
  remove(organization: Organization, projectId: string): Promise<void>;
}

/** What the store of resources asks about projects, around each of its writes. */
export interface ProjectGate {
  /** @returns whether resources may be let into the project: it is there, and nobody is deleting it */
  isOpen(organization: Organization, projectId: string): Promise<boolean>;
  /**
   * To be asked after a write: keeps a deletion that is under way from finishing.
   * @returns false when the project is gone, so that what was written must go too
   */
  keep(organization: Organization, projectId: string): Promise<boolean>;
}

export interface OrganizationStore {
  /**
   * Makes sure that the organization's namespace exists and is ours, creating the Organization on first use.
   * Cheap when it is known to be ready. @throws FairleadError `unavailable` with retryAfter after 10 s, or when the
   * namespace belongs to somebody else; `forbidden` when the organization is suspended; `organization_unknown` where tokens make
   * none; `limit_reached` or `too_many_requests` when its issuer has brought in too many
   */
  ensure(organization: Organization): Promise<void>;
  /**
   * Calls `cutOff` when the organization is suspended or gone, at once when it is already.
   * @returns what ends the watching
   */
  whenRefused(organization: Organization, cutOff: () => void): () => void;
}
