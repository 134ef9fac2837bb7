// The store of registered types. Reads the cache, because every apply needs one; a miss asks the API server.
import type { Provider } from '../../crds/provider.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { FairleadError } from '../../domain/errors.ts';
import { definitionNameOf, type Organization } from '../../domain/identity.ts';
import { type FieldOrder, fieldOrder } from '../../domain/schemas/field-order.ts';
import { typeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type EarlierVersion, firstTypeVersion } from '../../domain/type-version.ts';
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import type { DefinitionPreview, DefinitionStore } from '../interfaces.ts';
import { annotation, kinds } from '../kinds.ts';
import { maxRounds, put, read } from '../put.ts';
import type { DefinitionRecord, WantedDefinition } from '../records.ts';
import { iso, latest } from '../resources/state.ts';
import { definitionObject } from './definition-object.ts';
import { removeTypesOf, typesOf } from './remove-types.ts';
import { type TypeContent, typeContent, typeOptionsOf } from './type-content.ts';
import { servingVersionOf, type TypeInForce, typeInForce } from './type-in-force.ts';

// How long a register waits for this replica's own cache, so that the next apply on it sees the new schema.
const cacheWaitMs = 2_000;

interface DefinitionStoreDeps {
  readonly client: KubeClient;
  readonly cache: Informer<ResourceDefinition>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly clock: Clock;
}

export function createDefinitionStore(deps: DefinitionStoreDeps): DefinitionStore {
  return {
    register: (organization, wanted) => registerDefinition(deps, organization, wanted),
    previewRegister: (organization, wanted) => previewRegister(deps, organization, wanted),
    registerBuilt: (organization, built) => registerBuilt(deps, organization, built),
    unregister: (organization, provider, resource) =>
      unregister(deps, organization, { provider, resource }),
    unregisterAll: (organization, provider) =>
      removeTypesOf(deps.client, { ...organization, provider }),
    countOf: async (organization, provider) =>
      (await typesOf(deps.client, { ...organization, provider })).length,
    list: (organization) => listDefinitions(deps, organization),
    find: async (organization, provider, resource) => {
      const found = await findDefinition(deps, organization, { provider, resource });
      return found && definitionRecord(found, knownProvider(deps, organization, provider));
    },
    findFresh: (organization, provider, resource) =>
      findFresh(deps, organization, { provider, resource }),
    schemasOf: (organization, type) => {
      const content = knownContent(deps, organization, type);
      return content && typeSchemas(content);
    },
    retryOf: (organization, type) => knownContent(deps, organization, type)?.retry,
  };
}

function isOfType({ spec }: ResourceDefinition, { provider, resource }: DefinitionName): boolean {
  return spec.provider === provider && spec.resource === resource;
}

type Tenant = Pick<Organization, 'namespace'>;

interface DefinitionName {
  readonly provider: string;
  readonly resource: string;
}

function knownContent(
  deps: DefinitionStoreDeps,
  tenant: Tenant,
  type: DefinitionName,
): TypeContent | undefined {
  const { provider, resource } = type;
  const found = deps.cache.get(keyFor(definitionRef(tenant, provider, resource)));
  if (found === undefined || !isOfType(found, type)) return undefined;
  return typeInForce(found, knownProvider(deps, tenant, provider))?.content ?? found.spec;
}

async function findDefinition(
  { client, cache }: DefinitionStoreDeps,
  organization: Organization,
  { provider, resource }: DefinitionName,
): Promise<ResourceDefinition | undefined> {
  const ref = definitionRef(organization, provider, resource);
  const found =
    cache.get(keyFor(ref)) ?? (await read<ResourceDefinition>(client, kinds.definition, ref));
  return found !== undefined && isOfType(found, { provider, resource }) ? found : undefined;
}

function knownProvider(
  { providers }: DefinitionStoreDeps,
  { namespace }: Tenant,
  name: string,
): Provider | undefined {
  return providers.get(keyFor({ namespace, name }));
}

/** The definition first: one that is stored before the takeover of its version is in force after it. */
async function findFresh(
  { client }: DefinitionStoreDeps,
  organization: Organization,
  type: DefinitionName,
): Promise<DefinitionRecord | undefined> {
  const { namespace } = organization;
  const ref = definitionRef(organization, type.provider, type.resource);
  const found = await read<ResourceDefinition>(client, kinds.definition, ref);
  if (found === undefined || !isOfType(found, type)) return undefined;
  const provider = { namespace, name: type.provider };
  return definitionRecord(found, await read<Provider>(client, kinds.provider, provider));
}

async function unregister(
  deps: DefinitionStoreDeps,
  organization: Organization,
  type: DefinitionName,
): Promise<void> {
  const known = await findDefinition(deps, organization, type);
  if (known === undefined) return;
  const { uid } = known.metadata;
  const ref = definitionRef(organization, type.provider, type.resource);
  try {
    await deps.client.delete(kinds.definition, ref, uid === undefined ? {} : { uid });
  } catch (thrown) {
    // A new object has the name: the requested one is gone, and a newer registration stays.
    if (!hasReason(thrown, 'conflict')) throw thrown;
  }
}

async function listDefinitions(
  { client }: DefinitionStoreDeps,
  { namespace }: Organization,
): Promise<readonly DefinitionRecord[]> {
  const definitions = async () =>
    (await client.list<ResourceDefinition>(kinds.definition, { namespace })).items;
  const found = await definitions();
  // After the definitions, as in `findFresh`.
  const providers = await client.list<Provider>(kinds.provider, { namespace });
  const byName = new Map(providers.items.map((each) => [each.metadata.name, each]));
  const providerOf = ({ spec }: ResourceDefinition) => byName.get(spec.provider);
  // A deletion may have ended between the two lists. A type goes before its Provider, so a second look tells its types from those of a
  // provider that runs elsewhere.
  const isDoubtful = found.some((item) => providerOf(item) === undefined);
  const still = new Set(
    (isDoubtful ? await definitions() : []).map(({ metadata }) => metadata.uid),
  );
  return (
    found
      .filter((item) => providerOf(item) !== undefined || still.has(item.metadata.uid))
      .filter((item) => item.metadata.deletionTimestamp === undefined)
      // They are removed with it, and until then only its deletions need them.
      .filter((item) => providerOf(item)?.metadata.deletionTimestamp === undefined)
      .flatMap((item) => definitionRecord(item, providerOf(item)) ?? [])
      .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
  );
}

function definitionRef({ namespace }: Tenant, provider: string, resource: string) {
  return { namespace, name: definitionNameOf(provider, resource) };
}

function sortKey({ provider, resource }: DefinitionRecord): string {
  return `${provider}\u0000${resource}`;
}

/** Whatever version serves, the registered definition is in force until the next deploy. */
async function registerDefinition(
  deps: DefinitionStoreDeps,
  organization: Organization,
  wanted: WantedDefinition,
): Promise<DefinitionRecord> {
  const spec = definitionSpec(wanted);
  const written = await writeDefinition(deps, organization, spec, async (existing) => ({
    ...spec,
    ...(await stagedBeside(deps, organization, existing)),
  }));
  return recordWith(written, { content: spec, retired: undefined });
}

async function previewRegister(
  deps: DefinitionStoreDeps,
  organization: Organization,
  wanted: WantedDefinition,
): Promise<DefinitionPreview> {
  const content = definitionSpec(wanted);
  const ref = definitionRef(organization, wanted.provider, wanted.resource);
  const existing = await read<ResourceDefinition>(deps.client, kinds.definition, ref);
  const spec = { ...content, ...(await stagedBeside(deps, organization, existing)) };
  const record = (definition: ResourceDefinition) =>
    recordWith(definition, { content, retired: undefined });
  if (existing !== undefined && sameSpec(existing, spec))
    return { change: 'none', record: record(existing) };
  const at = deps.clock.now().toISOString();
  const object = definitionObject(ref, existing, { spec, at });
  const metadata = { creationTimestamp: at, ...object.metadata };
  const change = existing === undefined ? 'create' : 'update';
  return { change, record: record({ ...object, metadata }) };
}

/** @returns the definition of a version that has not taken over yet, which the registration does not touch */
async function stagedBeside(
  { client }: DefinitionStoreDeps,
  { namespace }: Organization,
  existing: ResourceDefinition | undefined,
): Promise<Pick<ResourceDefinition['spec'], 'next'>> {
  if (existing?.spec.next === undefined) return {};
  const { provider: name, next } = existing.spec;
  const provider = await read<Provider>(client, kinds.provider, { namespace, name });
  return servingVersionOf(provider)?.version === next.version ? {} : { next };
}

/** The version serves already. One that starts gets its types from the controller, before it takes over. */
async function registerBuilt(
  deps: DefinitionStoreDeps,
  organization: Organization,
  { version, types }: { readonly version: string; readonly types: readonly WantedDefinition[] },
): Promise<void> {
  for (const type of types) {
    const spec = { ...definitionSpec(type), providerVersion: version };
    await writeDefinition(deps, organization, spec, () => Promise.resolve(spec));
  }
}

async function writeDefinition(
  { client, cache, clock }: DefinitionStoreDeps,
  organization: Organization,
  { provider, resource }: DefinitionName,
  specFor: (existing: ResourceDefinition | undefined) => Promise<ResourceDefinition['spec']>,
): Promise<ResourceDefinition> {
  const ref = definitionRef(organization, provider, resource);
  for (let round = 0; round < maxRounds; round += 1) {
    const existing = await read<ResourceDefinition>(client, kinds.definition, ref);
    const spec = await specFor(existing);
    if (existing !== undefined && sameSpec(existing, spec)) return existing;
    const object = definitionObject(ref, existing, { spec, at: clock.now().toISOString() });
    const written = await put(client, kinds.definition, object);
    if (written === undefined) continue;
    const { resourceVersion = '' } = written.metadata;
    // A delay is no failure: it is stored, and the cache will catch up.
    await cache.reached(keyFor(ref), resourceVersion, cacheWaitMs).catch(() => undefined);
    return written;
  }
  throw new FairleadError(
    'conflict',
    'Another client registers the type at the same time; try again',
  );
}

function definitionSpec({
  provider,
  resource,
  tags,
  ...content
}: WantedDefinition): ResourceDefinition['spec'] {
  const { schema, fieldOrder: order = fieldOrder(schema) } = content;
  const { outputsSchema, outputsFieldOrder = fieldOrder(outputsSchema) } = content;
  return {
    provider,
    resource,
    ...typeContent({ ...content, fieldOrder: order, outputsFieldOrder } as TypeContent),
    ...(tags === undefined || tags.length === 0 ? {} : { tags: [...tags] }),
  };
}

function sameSpec({ spec }: ResourceDefinition, wanted: ResourceDefinition['spec']): boolean {
  return canonicalJson(spec as JsonObject) === canonicalJson(wanted as JsonObject);
}

/** @returns undefined for a type that no version has served yet */
function definitionRecord(
  definition: ResourceDefinition,
  provider: Provider | undefined,
): DefinitionRecord | undefined {
  const inForce = typeInForce(definition, provider);
  return inForce && recordWith(definition, inForce);
}

function recordWith(
  { metadata, spec }: ResourceDefinition,
  { content, retired, changedAt }: TypeInForce,
): DefinitionRecord {
  const createdAt = iso(metadata.creationTimestamp);
  const written = latest(createdAt, metadata.annotations?.[annotation.updatedAt]);
  return {
    provider: spec.provider,
    resource: spec.resource,
    description: content.description,
    schema: (content.schema as JsonObject | undefined) ?? null,
    fieldOrder: content.fieldOrder as FieldOrder | undefined,
    typeVersion: content.typeVersion ?? firstTypeVersion,
    outputsSchema: (content.outputsSchema as JsonObject | undefined) ?? null,
    outputsFieldOrder: content.outputsFieldOrder as FieldOrder | undefined,
    adoptSchema: (content.adoptSchema as JsonObject | undefined) ?? null,
    identity: content.identity ?? null,
    earlierVersions: (content.earlierVersions ?? []) as readonly EarlierVersion[],
    ...typeOptionsOf(content),
    tags: spec.tags ?? null,
    retired: retired ?? null,
    createdAt,
    updatedAt: latest(latest(written, changedAt), retired?.at),
  };
}
