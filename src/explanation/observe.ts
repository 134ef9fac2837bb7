// Observes the facts around a path: the provider of its last resource and the dead letter with single reads, the rest from
// caches. The API may read these kinds in the namespace of the organization.
import type { Build } from '../crds/build.ts';
import { findCondition, Reason } from '../crds/conditions.ts';
import type { Provider } from '../crds/provider.ts';
import type { Resource } from '../crds/resource.ts';
import type { ResourceDefinition } from '../crds/resource-definition.ts';
import { definitionNameOf, projectIdOf, type ResourceTuple, slashed } from '../domain/identity.ts';
import { meantBy } from '../domain/meant.ts';
import { observedEveryMs } from '../domain/observation/interval.ts';
import { wholeWindowEndAfter } from '../domain/observation/schedule.ts';
import { jobNameOf } from '../domain/providers/build.ts';
import { firstTypeVersion } from '../domain/type-version.ts';
import { type Informer, type KubeClient, keyFor } from '../kube/api.ts';
import { buildRecord } from '../store/builds/store.ts';
import { type DeadLetterObject, fromConfigMap } from '../store/dead-letters/object.ts';
import { configMapKind, kinds, label } from '../store/kinds.ts';
import { withProcessEnds } from '../store/providers/process-ends.ts';
import { missingSettings, settingsSetSince } from '../store/providers/setting-names.ts';
import { providerRecordOf } from '../store/providers/store.ts';
import { servingVersionOf, typeInForce } from '../store/providers/type-in-force.ts';
import { read } from '../store/put.ts';
import type { DependencyIndex } from '../store/resources/dependencies/dependency-index.ts';
import { hasFailed, iso } from '../store/resources/state.ts';
import { newestStoredVersion } from '../store/resources/type-version.ts';
import {
  type BuildFacts,
  type ChainPath,
  type DeadLetterFacts,
  type DeliveryFacts,
  type Facts,
  maxCounted,
  type ProviderFacts,
} from './facts.ts';
import { knownFailure } from './failure.ts';
import { type DeliveryPace, heldUp, paceIn, waitsForSettings } from './pace.ts';

export interface ObserveDeps {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
  readonly resources: Pick<Informer<Resource>, 'get' | 'items'>;
  readonly builds: Pick<Informer<Build>, 'get' | 'items'>;
  readonly definitions: Pick<Informer<ResourceDefinition>, 'get'>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly dependencies: Pick<DependencyIndex, 'usersOf'>;
  readonly maxAttempts: (resource: Resource) => number;
  readonly now: () => Date;
  /** The limit of an attempt, unless its type has another one. */
  readonly limitSeconds: number;
}

const maxUsers = 100;

/** @param confined for a caller who is confined to a project */
export async function observe(
  path: ChainPath,
  confined: boolean,
  deps: ObserveDeps,
): Promise<Facts> {
  const [provider, deadLetter] = confined
    ? [undefined, undefined]
    : await Promise.all([providerFacts(path, deps), deadLetterFacts(path, deps)]);
  return {
    path,
    delivery: deliveryOf(lastResource(path), deps, { pace: paceOf(path, deps), confined }),
    provider,
    deadLetter,
    users: usersOf(path, deps),
    maxAttempts: deps.maxAttempts(lastResource(path)),
    confined,
    culprit: culpritOf(path, confined, deps),
    meant: meantOf(path, deps),
  };
}

/** @returns what takes the events of a resource, from the caches */
export function deliveryOf(
  resource: Resource,
  {
    definitions,
    providers,
    limitSeconds,
    now,
  }: Pick<ObserveDeps, 'definitions' | 'providers' | 'limitSeconds' | 'now'>,
  { pace, confined }: { readonly pace: DeliveryPace; readonly confined: boolean },
): DeliveryFacts {
  const { metadata, spec } = resource;
  const { namespace = '' } = metadata;
  const name = definitionNameOf(spec.provider, spec.resource);
  const definition = definitions.get(keyFor({ namespace, name }));
  const provider = providers.get(keyFor({ namespace, name: spec.provider }));
  const isOfIt =
    definition?.spec.provider === spec.provider && definition.spec.resource === spec.resource;
  const type = isOfIt ? typeInForce(definition, provider) : undefined;
  const limits = {
    type: type?.content.concurrency,
    provider: provider?.status?.concurrency,
  };
  return {
    isServed: isServed(provider),
    isRegistered: type !== undefined && type.retired === undefined,
    limitSeconds: type?.content.timeoutSeconds ?? limitSeconds,
    windowEnd: wholeWindowEndAfter(
      {
        provider: keyFor({ namespace, name: spec.provider }),
        everyMs: observedEveryMs(spec.observe?.every, type?.content.observeEvery),
      },
      now().getTime(),
    ),
    heldUp: heldUp(resource, pace, { limits, confined }),
    areSettingsRefused: waitsForSettings(resource, pace),
  };
}

/** An endpoint gets events also while it does not answer. */
function isServed(provider: Provider | undefined): boolean {
  if (provider === undefined) return false;
  const { spec, status } = provider;
  if (spec.endpoint !== undefined) {
    return findCondition(status?.conditions, 'Ready')?.reason !== Reason.InvalidEndpoint;
  }
  // Pods of the version that serves get events as soon as they are ready.
  const isRunning = (status?.readyReplicas ?? status?.availableReplicas ?? 0) > 0;
  return servingVersionOf(provider) !== undefined && isRunning;
}

function paceOf(path: ChainPath, { resources, now }: ObserveDeps): DeliveryPace {
  return paceIn(resources.items(lastResource(path).metadata.namespace), now());
}

function culpritOf(
  path: ChainPath,
  confined: boolean,
  { resources, maxAttempts }: ObserveDeps,
): string | undefined {
  const last = lastResource(path);
  const kind = knownFailure(last, maxAttempts(last))?.kind;
  if (kind !== 'lost' && kind !== 'suspected') return undefined;
  const { metadata } = last;
  const projectId = projectIdOf(last);
  const isVisible = (other: Resource) => !confined || projectIdOf(other) === projectId;
  return culpritBeside(last, resources.items(metadata.namespace), { maxAttempts, isVisible });
}

function meantOf(path: ChainPath, { resources }: ObserveDeps): string | undefined {
  const { resource, waitsFor } = path[path.length - 1] ?? path[0];
  if (waitsFor?.is !== 'missing') return undefined;
  const { metadata, spec } = resource;
  const own = slashed(spec);
  const projectId = projectIdOf(resource);
  function* others(): Iterable<ResourceTuple> {
    for (const other of resources.items(metadata.namespace)) {
      const isUsable =
        other.metadata.deletionTimestamp === undefined && slashed(other.spec) !== own;
      if (isUsable && projectIdOf(other) === projectId) yield other.spec;
    }
  }
  return meantBy(waitsFor.dependency, others());
}

function lastResource(path: ChainPath): Resource {
  return (path[path.length - 1] ?? path[0]).resource;
}

function usersOf([{ resource }]: ChainPath, { resources, dependencies }: ObserveDeps): string[] {
  const users: string[] = [];
  const projectId = projectIdOf(resource);
  for (const key of dependencies.usersOf(keyFor(resource.metadata))) {
    const user = resources.get(key);
    // A reference from another project is no use, and its name is not for everybody.
    if (user !== undefined && projectIdOf(user) === projectId) users.push(slashed(user.spec));
  }
  return users.sort().slice(0, maxUsers);
}

async function providerFacts(path: ChainPath, deps: ObserveDeps): Promise<ProviderFacts> {
  const { metadata, spec } = lastResource(path);
  const { namespace = '' } = metadata;
  const ref = { namespace, name: spec.provider };
  const found = await read<Provider>(deps.client, kinds.provider, ref);
  const build = buildOf(namespace, found ?? spec.provider, deps);
  const own = build && buildFacts(build);
  if (found === undefined) {
    const nothing = { reason: null, message: null, since: null, version: null };
    const absent = { state: 'missing', external: false, previousVersion: null } as const;
    const settings = {
      missingSettings: [],
      newSettings: [],
      skewedSince: null,
      correctionsHeld: null,
    };
    return { provider: spec.provider, ...nothing, ...absent, build: own, ...settings };
  }
  const { version, previousVersion, endpoint, state, message, correctionsHeld } = withProcessEnds(
    deps.resources.items(namespace),
  )(providerRecordOf(found));
  const ready = findCondition(found.status?.conditions, 'Ready');
  const skew = findCondition(found.status?.conditions, 'ClockSkew');
  return {
    provider: spec.provider,
    state: version === undefined && endpoint === undefined ? 'missing' : state,
    reason: ready?.reason ?? null,
    message: message === '' ? null : message,
    since: ready === undefined ? null : iso(ready.lastTransitionTime),
    version: version ?? null,
    external: endpoint !== undefined,
    previousVersion: previousVersion ?? null,
    readingVersion: readingVersion(lastResource(path), deps),
    build: own,
    missingSettings: missingSettings({ provider: found, build }),
    newSettings: settingsSetSince(found),
    correctionsHeld: correctionsHeld ?? null,
    skewedSince: skew?.status === 'True' ? iso(skew.lastTransitionTime) : null,
  };
}

/** @returns the newest version that was built with a version of the type from which, or in which, the content was stored */
function readingVersion(resource: Resource, { builds }: ObserveDeps): string | undefined {
  const { metadata, spec, status } = resource;
  if (status?.reason !== Reason.VersionTooOld) return undefined;
  const stored = newestStoredVersion(resource);
  const versions = [...builds.items(metadata.namespace ?? '')]
    .filter((build) => build.spec.provider === spec.provider && build.status?.phase === 'success')
    .filter(({ status: built }) =>
      built?.types?.some(
        (type) =>
          type.resource === spec.resource && (type.typeVersion ?? firstTypeVersion) >= stored,
      ),
    )
    .map((build) => build.spec.version);
  return versions.sort().at(-1);
}

/** @returns the build of the wanted version; without one, the newest build of the provider */
function buildOf(
  namespace: string,
  provider: Provider | string,
  { builds }: ObserveDeps,
): Build | undefined {
  const name = typeof provider === 'string' ? provider : provider.spec.provider;
  const version = typeof provider === 'string' ? undefined : provider.spec.version;
  if (version !== undefined) {
    return builds.get(keyFor({ namespace, name: jobNameOf(name, version) }));
  }
  let newest: Build | undefined;
  for (const build of builds.items(namespace)) {
    const isNewer = newest === undefined || build.spec.version > newest.spec.version;
    if (build.spec.provider === name && isNewer) newest = build;
  }
  return newest;
}

function buildFacts(build: Build): BuildFacts {
  const { jobName, version, phase, error, createdAt, finishedAt } = buildRecord(build);
  return { jobName, version, phase, error, since: iso(finishedAt ?? createdAt) };
}

async function deadLetterFacts(
  path: ChainPath,
  { client }: ObserveDeps,
): Promise<DeadLetterFacts | undefined> {
  const { metadata, spec, status } = lastResource(path);
  const { namespace = '' } = metadata;
  if (status?.event === undefined || !hasFailed({ status })) return undefined;
  const ref = { namespace, name: status.event.id };
  const found = await read<DeadLetterObject>(client, configMapKind, ref);
  const deadLetter = found && fromConfigMap(found);
  if (deadLetter === undefined) return undefined;
  const { eventId, cause, provider, log = [] } = deadLetter;
  const labelSelector = `${label.deadLetter}=true,${label.provider}=${provider},${label.cause}=${cause}`;
  const { items } = await client.list<DeadLetterObject>(configMapKind, {
    namespace,
    labelSelector,
    limit: maxCounted + 1,
  });
  const others = items.filter((each) => each.metadata.name !== eventId).length;
  const sameCause = Math.min(others, maxCounted);
  return { eventId, resource: slashed(spec), provider, cause, sameCause, log };
}

// Finds the resource whose event ended the process of a provider: others that were under way lost their connection with it.

/** @returns undefined when no other event is known to have ended the process of the provider */
export function culpritBeside(
  { metadata, spec }: Resource,
  others: Iterable<Resource>,
  { maxAttempts, isVisible }: CulpritOptions,
): string | undefined {
  for (const other of others) {
    const isBeside = other.spec.provider === spec.provider && other.metadata.uid !== metadata.uid;
    if (!isBeside || !isVisible(other)) continue;
    if (knownFailure(other, maxAttempts(other))?.kind === 'crashed') return slashed(other.spec);
  }
  return undefined;
}

interface CulpritOptions {
  readonly maxAttempts: (resource: Resource) => number;
  /** Returns whether the caller may see a resource. */
  readonly isVisible: (resource: Resource) => boolean;
}
