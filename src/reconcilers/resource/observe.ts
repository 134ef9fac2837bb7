// Reads everything for a decision about one Resource from memory at once.
import type { Organization } from '../../crds/organization.ts';
import type { Provider } from '../../crds/provider.ts';
import { type Resource, resourceFinalizer } from '../../crds/resource.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import type { Violation } from '../../domain/errors.ts';
import { defaultProjectId, projectIdOf, slashed } from '../../domain/identity.ts';
import { type Resolution, resolveReferences } from '../../domain/references/references.ts';
import { changedImmutables, immutableRuleOfType } from '../../domain/schemas/immutable-changes.ts';
import type { FieldPath } from '../../domain/schemas/immutable-fields.ts';
import { type SchemaSandbox, UnusableSchema } from '../../domain/schemas/schema.ts';
import type { ReceivedSecrets } from '../../domain/secrets/resource-secrets.ts';
import {
  type DecidingSchema,
  firstTypeVersion,
  schemaForVersion,
  type TypeVersions,
  type TypeWithSchemas,
} from '../../domain/type-version.ts';
import { type Informer, type Key, type KubeObject, keyFor } from '../../kube/api.ts';
import type { JsonObject } from '../../lib/json.ts';
import { annotation } from '../../store/kinds.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { ProjectLookup } from '../../store/projects/object.ts';
import type { ResourceQuota } from '../../store/resources/apply/quota.ts';
import { contentHashOf } from '../../store/resources/content.ts';
import type { DependencyIndex } from '../../store/resources/dependencies/dependency-index.ts';
import {
  type Unready,
  unreadyDependency,
} from '../../store/resources/dependencies/unready-dependency.ts';
import {
  isBetweenObjects,
  isDeletionEvent,
  isForced,
  replacementDue,
  requeueAsked,
} from '../../store/resources/state.ts';
import type { Endpoints } from '../endpoints.ts';
import type { UnrecordedAnswer, UnrecordedAnswers } from './delivery/unrecorded-answers.ts';
import { type Rivals, type RivalsDeps, rivalsOf } from './imports/rivals.ts';
import { isEventSettled } from './status/event-status.ts';
import { configVersion } from './type/fitting-version.ts';
import {
  dependencyOutputs,
  type EarlierOutputs,
  earlierOutputs,
  type KnownType,
  knownType,
  receivedBy,
} from './type/known-type.ts';
import { type ObservedType, typeOf } from './type/observed-type.ts';
import type { createWaits, Waits } from './waits.ts';

export interface Observed extends ObservedType {
  readonly resource: Resource;
  /** Hash of the content of the present spec. */
  readonly content: string;
  readonly hasFinalizer: boolean;
  /** The organization's id in tokens; undefined when the namespace belongs to none. */
  readonly organizationId: string | undefined;
  readonly suspended: boolean;
  /** The size limit of the organization, when its resources have reached it. */
  readonly full: string | undefined;
  /** Violations by the config of the schema of its version, checked before its first delivery; empty when nothing was to be checked. */
  readonly violations: readonly Violation[];
  /** Version of the type whose schema decided; undefined when nothing was to be checked. */
  readonly judgedVersion?: number | undefined;
  /** Why that schema can validate no config, or not this one, however often it is retried. */
  readonly unusable: string | undefined;
  /** URL that receives events of the provider now. */
  readonly endpoint: string | undefined;
  /** True when the project of the spec exists. */
  readonly inProject: boolean;
  /** For messages. */
  readonly projectName: string;
  /** Dependencies that are not ready. */
  readonly unready: readonly Unready[];
  /** Names along a cycle of dependencies that are not ready. */
  readonly cycle: readonly string[] | undefined;
  /** The config with resolved references. */
  readonly resolution: Resolution;
  /** Resources whose outputs are missing, if they have outputs of an earlier version of their type. */
  readonly earlierOutputs?: ReadonlyMap<string, EarlierOutputs> | undefined;
  /** The secret outputs among the inserted ones; undefined when nothing was inserted. */
  readonly received?: ReceivedSecrets | undefined;
  /** Version of the type that the config has; that of kubectl names none before its claim. */
  readonly configVersion: number;
  /** Paths of the immutable fields in which the config differs from that of the last success. */
  readonly changedImmutables: readonly FieldPath[];
  /** Resources made from the outputs of a resource that is being deleted or to be replaced, as `provider/resource/name`. */
  readonly users: readonly string[];
  /** The last release of held corrections of the provider; undefined without one. */
  readonly correctionsReleased?: string | undefined;
  /** Requested number of restarts of the failed event; undefined when there is no request. */
  readonly requeue: number | undefined;
  /** Other resources that stand for the object. */
  readonly rivals: Rivals;
  readonly forced: boolean;
  /** True when the namespace is terminating. */
  readonly terminating: boolean;
  /** The answer to the claimed attempt that this process received and has not recorded yet. */
  readonly unrecorded: UnrecordedAnswer | undefined;
  readonly waits: Waits;
}

export interface ObserveDeps extends Pick<RivalsDeps, 'claimants'> {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly definitions: Pick<Informer<ResourceDefinition>, 'get'>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly namespaces: Pick<Informer<KubeObject>, 'get'>;
  readonly projects: ProjectLookup & Pick<ProjectNames, 'nameOf'>;
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'dependenciesOf' | 'cycleThrough'>;
  readonly endpoints: Pick<Endpoints, 'find'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly quota: Pick<ResourceQuota, 'fullAt'>;
  readonly answers: Pick<UnrecordedAnswers, 'find' | 'before' | 'drop'>;
  readonly waits: ReturnType<typeof createWaits>;
}

/** @returns undefined when the object is gone */
export async function observe(key: Key, deps: ObserveDeps): Promise<Observed | undefined> {
  const resource = deps.resources.get(key);
  if (resource === undefined) return undefined;
  const { metadata, spec } = resource;
  const { namespace = '' } = metadata;
  const known = knownType(resource, deps);
  const type = typeOf(known);
  const endpoint = deps.endpoints.find(namespace, spec.provider);
  const unready = unreadyDependencies(resource, deps);
  const resolution = resolveReferences(
    spec.config as JsonObject,
    dependencyOutputs(resource, deps),
  );
  const { typeVersion = firstTypeVersion } = resource.status?.event ?? {};
  const deciding = schemaForVersion((known.content ?? {}) as TypeVersions, typeVersion);
  const unrecorded = unrecordedOf(resource, deps);
  const first = unrecorded === undefined && endpoint !== undefined && isSentFirst(resource);
  const content = contentHashOf(spec);
  const config = await configVersion(resource, { ...known, resolution }, deps);
  const projectId = projectIdOf(resource);
  const start = { ...spec, projectId };
  return {
    resource,
    content,
    hasFinalizer: metadata.finalizers?.includes(resourceFinalizer) ?? false,
    organizationId: organizationIdOf(resource, deps),
    suspended: deps.organizations.get(namespace)?.spec.suspended ?? false,
    full: deps.quota.fullAt(namespace),
    ...type,
    inProject: await isInProject(resource, content, deps),
    projectName: deps.projects.nameOf({ namespace }, projectId),
    ...(first ? await judgeConfig(deciding, resolution.config, { namespace, deps }) : unjudged),
    endpoint,
    unready,
    cycle: unready.length === 0 ? undefined : deps.dependencies.cycleThrough(namespace, start),
    resolution,
    received: resolution.hash === undefined ? undefined : receivedBy(resource, deps),
    earlierOutputs: earlierOutputs(resource, resolution.unresolved, deps),
    configVersion: config,
    changedImmutables: immutablesChanged(resource, config, { ...known, resolution }),
    users: isToGo(resource) ? cachedUsers(resource, deps) : [],
    correctionsReleased: deps.providers.get(keyFor({ namespace, name: spec.provider }))?.spec
      .correctionsReleased,
    requeue: requeueAsked(resource),
    rivals: rivalsOf(resource, content, unrecorded, deps),
    forced: isForced(resource),
    terminating: deps.namespaces.get(namespace)?.metadata.deletionTimestamp !== undefined,
    unrecorded,
    waits: deps.waits(resource, type),
  };
}

/** The answer to an ended event was recorded: it does not apply to the next start of the same event. */
function unrecordedOf(
  { status }: Resource,
  { answers }: ObserveDeps,
): UnrecordedAnswer | undefined {
  if (status?.event === undefined) return undefined;
  if (!isEventSettled(status)) return answers.find(status.event);
  answers.drop(status.event);
  return undefined;
}

function immutablesChanged(
  { status }: Resource,
  version: number,
  { content, resolution }: Pick<KnownType, 'content'> & { readonly resolution: Resolution },
): readonly FieldPath[] {
  const { appliedConfig, appliedTypeVersion = firstTypeVersion } = status ?? {};
  if (appliedConfig === undefined || content === undefined) return [];
  const rule = immutableRuleOfType(content as TypeWithSchemas, appliedTypeVersion, version);
  return rule.fields.length === 0
    ? []
    : changedImmutables(rule, appliedConfig as JsonObject, resolution);
}

function isToGo(resource: Resource): boolean {
  return (
    resource.metadata.deletionTimestamp !== undefined || replacementDue(resource) !== undefined
  );
}

type Judgement = Pick<Observed, 'violations' | 'judgedVersion' | 'unusable'>;

const unjudged: Judgement = { violations: [], unusable: undefined };

/** Configs from HTTP are validated again, too: kubectl may have changed them, or another schema may be registered. */
async function judgeConfig(
  { schema, typeVersion: judgedVersion }: DecidingSchema,
  config: JsonObject,
  { namespace, deps }: { namespace: string; deps: ObserveDeps },
): Promise<Judgement> {
  if (schema === undefined) return unjudged;
  try {
    const violations = await deps.schemas.validate(schema, config, namespace);
    return { violations, judgedVersion, unusable: undefined };
  } catch (thrown) {
    if (!(thrown instanceof UnusableSchema)) throw thrown;
    return { violations: [], judgedVersion, unusable: thrown.why };
  }
}

/** Checked before an event is claimed; an event claimed in a project that is gone is finished. */
function isInProject(
  resource: Resource,
  content: string,
  { projects }: ObserveDeps,
): Promise<boolean> | true {
  const { metadata, spec, status } = resource;
  const { namespace = '', deletionTimestamp } = metadata;
  const isClaimed = status?.content === content && status.state !== 'pending';
  if (isClaimed || deletionTimestamp !== undefined || spec.lifecycle === 'Draft') return true;
  const projectId = projectIdOf(resource);
  return projectId === defaultProjectId({ namespace }) || projects.has(namespace, projectId);
}

/** Objects of a removed organization must still be torn down in its name. */
function organizationIdOf({ metadata }: Resource, deps: ObserveDeps): string | undefined {
  const { namespace = '' } = metadata;
  const organization = deps.organizations.get(namespace)?.spec.externalId;
  if (organization !== undefined || metadata.deletionTimestamp === undefined) return organization;
  return deps.namespaces.get(namespace)?.metadata.annotations?.[annotation.organizationId];
}

function isSentFirst({ metadata, status }: Resource): boolean {
  const { event, state } = status ?? {};
  // The event of a settled resource was sent long ago; otherwise each pass would validate it.
  if (state !== 'processing') return false;
  // A replacement must be possible before the old object is deleted.
  const making = metadata.deletionTimestamp === undefined && !isDeletionEvent(event);
  return making && event?.attempt === 1 && event.nextAttemptAt === undefined;
}

function unreadyDependencies(resource: Resource, deps: ObserveDeps): readonly Unready[] {
  const dependencies = deps.dependencies.dependenciesOf(keyFor(resource.metadata));
  return dependencies.flatMap((each) => unreadyDependency(resource, each, deps.resources) ?? []);
}

function hasObjectLeft({ status }: Resource): boolean {
  return status?.event !== undefined && !isBetweenObjects(status);
}

/** Users with a sent event; drafts and waiting ones can wait for a missing resource. */
function cachedUsers(
  resource: Resource,
  { dependencies, resources }: ObserveDeps,
): readonly string[] {
  const { metadata, spec } = resource;
  const projectId = projectIdOf(resource);
  const users = [...dependencies.usersOf(keyFor(metadata))]
    .flatMap((key) => resources.get(key) ?? [])
    .filter((user) => hasObjectLeft(user) && projectIdOf(user) === projectId)
    .map((user) => slashed(user.spec));
  if (users.length === 0) return users;
  const cycle = dependencies.cycleThrough(metadata.namespace ?? '', { ...spec, projectId });
  return users.filter((user) => cycle?.includes(user) !== true).sort();
}
