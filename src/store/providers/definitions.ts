// The store of registered types. Reads the cache, because every apply needs one; a miss asks the API server.
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import type { Clock } from '../../domain/clock.ts';
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import { definitionNameOf, type Organization } from '../../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../../domain/json.ts';
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { translated } from '../errors.ts';
import type { DefinitionStore } from '../interfaces.ts';
import { annotation, apiVersion, kinds, label } from '../kinds.ts';
import { maximumRounds, put, read } from '../put.ts';
import type { DefinitionRecord, WantedDefinition } from '../records.ts';
import { iso, latest } from '../resources/state.ts';

// How long a register waits for this replica's own cache, so that the next apply on it sees the new schema.
const cacheWaitMs = 2_000;

interface DefinitionStoreDeps {
  readonly client: KubeClient;
  readonly cache: Informer<ResourceDefinition>;
  readonly clock: Clock;
}

export function createDefinitionStore(deps: DefinitionStoreDeps): DefinitionStore {
  return {
    register: (organization, wanted) => translated(() => register(deps, organization, wanted)),
    unregister: (organization, provider, resource) =>
      translated(() => unregister(deps, organization, { provider, resource })),
    list: (organization) => translated(() => list(deps, organization)),
    find: (organization, provider, resource) =>
      translated(async () => {
        const found = await find(deps, organization, { provider, resource });
        return found === undefined ? undefined : recordOf(found);
      }),
    schemaOf: (organization, type) => {
      const { provider, resource } = type;
      const found = deps.cache.get(keyFor(refTo(organization, provider, resource)));
      if (found === undefined || !isOf(found, type)) return undefined;
      return (found.spec.schema as JsonObject | undefined) ?? noSchema;
    },
  };
}

/** One object, because what is computed for a schema is kept with it. */
const noSchema: JsonObject = {};

function isOf({ spec }: ResourceDefinition, { provider, resource }: TypeName): boolean {
  return spec.provider === provider && spec.resource === resource;
}

interface TypeName {
  readonly provider: string;
  readonly resource: string;
}

async function find(
  { client, cache }: DefinitionStoreDeps,
  organization: Organization,
  { provider, resource }: TypeName,
): Promise<ResourceDefinition | undefined> {
  const ref = refTo(organization, provider, resource);
  const found =
    cache.get(keyFor(ref)) ?? (await read<ResourceDefinition>(client, kinds.definition, ref));
  return found !== undefined && isOf(found, { provider, resource }) ? found : undefined;
}

async function unregister(
  deps: DefinitionStoreDeps,
  organization: Organization,
  type: TypeName,
): Promise<void> {
  const known = await find(deps, organization, type);
  if (known === undefined) return;
  const { uid } = known.metadata;
  const ref = refTo(organization, type.provider, type.resource);
  try {
    await deps.client.delete(kinds.definition, ref, uid === undefined ? {} : { uid });
  } catch (thrown) {
    // A new object has the name: the requested one is gone, and a newer registration stays.
    if (!hasReason(thrown, 'conflict')) throw thrown;
  }
}

async function list(
  { client }: DefinitionStoreDeps,
  { namespace }: Organization,
): Promise<readonly DefinitionRecord[]> {
  const { items } = await client.list<ResourceDefinition>(kinds.definition, { namespace });
  return items
    .filter((item) => item.metadata.deletionTimestamp === undefined)
    .map(recordOf)
    .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
}

function refTo({ namespace }: Organization, provider: string, resource: string) {
  return { namespace, name: definitionNameOf(provider, resource) };
}

function sortKey({ provider, resource }: DefinitionRecord): string {
  return `${provider}\u0000${resource}`;
}

async function register(
  { client, cache, clock }: DefinitionStoreDeps,
  organization: Organization,
  wanted: WantedDefinition,
): Promise<DefinitionRecord> {
  const ref = refTo(organization, wanted.provider, wanted.resource);
  const spec = specOf(wanted);
  for (let round = 0; round < maximumRounds; round += 1) {
    const existing = await read<ResourceDefinition>(client, kinds.definition, ref);
    if (existing !== undefined && sameSpec(existing, spec)) return recordOf(existing);
    const object = objectFor(ref, existing, { spec, now: clock.now() });
    const written = await put(client, kinds.definition, object);
    if (written === undefined) continue;
    const { resourceVersion = '' } = written.metadata;
    // A delay is no failure: it is stored, and the cache will catch up.
    await cache.reached(keyFor(ref), resourceVersion, cacheWaitMs).catch(() => undefined);
    return recordOf(written);
  }
  throw new FairleadError(
    ErrorCode.conflict,
    'Another client registers the type at the same time; try again',
  );
}

function objectFor(
  ref: { namespace: string; name: string },
  existing: ResourceDefinition | undefined,
  { spec, now }: { spec: ResourceDefinition['spec']; now: Date },
): ResourceDefinition {
  const { metadata } = existing ?? {};
  const labels = { ...metadata?.labels, [label.provider]: spec.provider };
  const annotations = { ...metadata?.annotations, [annotation.updatedAt]: now.toISOString() };
  const head = { apiVersion, kind: kinds.definition.kind };
  return { ...existing, ...head, metadata: { ...metadata, ...ref, labels, annotations }, spec };
}

function specOf({
  provider,
  resource,
  description,
  schema,
  timeoutSeconds,
  tags,
}: WantedDefinition): ResourceDefinition['spec'] {
  return {
    provider,
    resource,
    description,
    ...(schema === undefined ? {} : { schema: schema as Record<string, never> }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags: [...tags] }),
  };
}

function sameSpec({ spec }: ResourceDefinition, wanted: ResourceDefinition['spec']): boolean {
  return canonicalJson(spec as JsonObject) === canonicalJson(wanted as JsonObject);
}

function recordOf({ metadata, spec }: ResourceDefinition): DefinitionRecord {
  const createdAt = iso(metadata.creationTimestamp);
  return {
    provider: spec.provider,
    resource: spec.resource,
    description: spec.description,
    schema: (spec.schema as JsonObject | undefined) ?? null,
    timeoutSeconds: spec.timeoutSeconds ?? null,
    tags: spec.tags ?? null,
    createdAt,
    updatedAt: latest(createdAt, metadata.annotations?.[annotation.updatedAt]),
  };
}
