// Finds the resources that do not fit a version or a registration: its schemas would reject their configs, or they refer to outputs that it
// lacks. It checks at deploy time, records them on the Provider, and checks again on each read, so that fixed resources leave the list.

import { type Organization, type ResourceTuple, slashed } from '../../domain/identity.ts';
import { jobNameOf } from '../../domain/providers/build.ts';
import { checkConfig } from '../../domain/schemas/check-config.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { firstTypeVersion, schemaForVersion } from '../../domain/type-version.ts';
import { firstNames } from '../../lib/text.ts';
import type { BuildStore, BuiltType } from '../../store/builds/store.ts';
import type { ResourceStore } from '../../store/interfaces.ts';
import { forEachConcurrently } from '../../store/parallel.ts';
import type { Incompatible, ProviderRecord } from '../../store/providers/store.ts';
import type { ResourceRecord } from '../../store/records.ts';
import { type MisfittingResource, readersOfMissingOutputs } from './vanishing-outputs.ts';

interface IncompatibleDeps {
  readonly builds: Pick<BuildStore, 'get'>;
  readonly resources: Pick<ResourceStore, 'list' | 'readers'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

export interface IncompatibleFindings {
  /** The number of checked resources. */
  readonly committed: number;
  /** Resources of the types whose configs are rejected. */
  readonly misfits: readonly MisfittingResource[];
  /** Resources, also of other types, that refer to outputs which the types lack. */
  readonly readers: readonly MisfittingResource[];
  /** Resources whose content has a newer version of their type than the given one. */
  readonly newer: readonly ResourceTuple[];
  /** Resources, drafts among them, of types that the version lacks. */
  readonly withoutType: readonly ResourceTuple[];
}

/** Every read checks the recorded resources again. */
const maxRecorded = 50;
export const maxListed = 20;
const maxNamed = 5;
// Keeps the sandbox busy without filling its queue for others.
const atOnce = 4;

/** The types that decide about configs and outputs. */
type BuiltTypes = readonly Pick<
  BuiltType,
  'resource' | 'schema' | 'typeVersion' | 'earlierVersions' | 'outputsSchema'
>[];

type IncompatibleCheckDeps = Omit<IncompatibleDeps, 'builds'>;

/**
 * @param among the resources to check: those of a provider, or of one of its types
 * @throws FairleadError `unavailable` when the configs could not be checked in time
 */
export async function findIncompatible(
  deps: IncompatibleCheckDeps,
  organization: Organization,
  {
    types: wanted,
    ...among
  }: { readonly types: BuiltTypes; readonly provider: string; readonly resource?: string },
): Promise<IncompatibleFindings> {
  const { records } = await deps.resources.list(organization, among);
  // Drafts are uncommitted: the schema applies when they are committed.
  const committed = records.filter(({ state }) => state !== 'draft');
  const misfits = await resourceMisfits(deps, wanted, { records: committed, organization });
  const readers = await readersOfMissingOutputs(deps, organization, {
    read: records,
    types: wanted,
  });
  const types = new Map(wanted.map((type) => [type.resource, type]));
  const withoutType = records.filter(({ resource }) => !types.has(resource));
  const newer = committed.filter(({ resource, newestVersion }) => {
    const type = types.get(resource);
    return type !== undefined && newestVersion > (type.typeVersion ?? firstTypeVersion);
  });
  return { committed: committed.length, misfits, readers, newer, withoutType };
}

type Incompatibles = Pick<IncompatibleFindings, 'misfits' | 'readers'>;

/** @returns the ids of the resources that do not fit, each once */
export function incompatibleIds({ misfits, readers }: Incompatibles): readonly string[] {
  return [...new Set([...misfits, ...readers].map(({ id }) => id))];
}

/** @returns the record of the incompatible resources of a version; undefined when there are none */
export function incompatibleRecord(
  version: string,
  found: Incompatibles,
): Incompatible | undefined {
  const all = incompatibleIds(found);
  return all.length === 0
    ? undefined
    : { version, count: all.length, ids: all.slice(0, maxRecorded) };
}

/**
 * @param what they do not fit
 * @returns sentences with the numbers of resources that do not fit, and the first of them with the reason; empty when all fit
 */
export function misfitsInWords(
  what: string,
  { committed, misfits, readers }: Omit<IncompatibleFindings, 'withoutType' | 'newer'>,
): string {
  const does = misfits.length === 1 ? 'does' : 'do';
  const refer = readers.length === 1 ? 'resource refers' : 'resources refer';
  const sentences = [
    ...(misfits.length === 0
      ? []
      : [`${misfits.length} of ${committed} resources ${does} not fit ${what}: ${named(misfits)}`]),
    ...(readers.length === 0
      ? []
      : [`${readers.length} ${refer} to outputs that are missing in ${what}: ${named(readers)}`]),
  ];
  return sentences.join('. ');
}

function named(misfits: readonly MisfittingResource[]): string {
  return firstNames(
    misfits.map(({ name, why }) => `${name} (${why})`),
    maxNamed,
  );
}

/** @returns a sentence about content that only a newer version knows; empty when there is none */
export function newerInWords(
  version: string,
  { newer }: Pick<IncompatibleFindings, 'newer'>,
): string {
  if (newer.length === 0) return '';
  const have = newer.length === 1 ? '1 resource has' : `${newer.length} resources have`;
  const names = firstNames(newer.map(slashed), maxNamed);
  return `${have} content of a newer version of the type than version ${version} has: ${names}. What does not fit is neither changed nor deleted until a version that knows it serves`;
}

/** @returns the number of resources that do not fit the version that should run, and the first of them */
export async function stillIncompatible(
  deps: IncompatibleDeps,
  organization: Organization,
  { provider, version, incompatible }: ProviderRecord,
): Promise<Pick<Incompatible, 'count' | 'ids'>> {
  if (incompatible === undefined || incompatible.version !== version) return { count: 0, ids: [] };
  const ids = new Set(incompatible.ids);
  const { records } = await deps.resources.list(organization, { provider });
  const found = await again(deps, organization, { incompatible, provider, records });
  return { count: incompatible.count - ids.size + found.length, ids: found.slice(0, maxListed) };
}

interface RecordedMisfits {
  readonly incompatible: Incompatible;
  readonly provider: string;
  /** The resources of the provider. */
  readonly records: readonly ResourceRecord[];
}

/** A status request gets a response even if the build is gone or the sandbox is busy. */
async function again(
  deps: IncompatibleDeps,
  organization: Organization,
  { incompatible, provider, records }: RecordedMisfits,
): Promise<readonly string[]> {
  const ids = new Set(incompatible.ids);
  const left = records.filter(({ id, state }) => ids.has(id) && state !== 'draft');
  try {
    const name = jobNameOf(provider, incompatible.version);
    const { types } = await deps.builds.get(organization, provider, name);
    const misfits = await resourceMisfits(deps, types, { records: left, organization });
    const readers = await readersOfMissingOutputs(deps, organization, { read: records, types });
    return incompatibleIds({ misfits, readers: readers.filter(({ id }) => ids.has(id)) });
  } catch {
    const readers = await deps.resources.readers(organization, records);
    const there = new Set([...left, ...readers].map(({ id }) => id));
    return incompatible.ids.filter((id) => there.has(id));
  }
}

/** Keeps the order of the records. */
async function resourceMisfits(
  deps: IncompatibleCheckDeps,
  types: BuiltTypes,
  { records, organization }: { records: readonly ResourceRecord[]; organization: Organization },
): Promise<readonly MisfittingResource[]> {
  const found: (MisfittingResource | undefined)[] = [];
  await forEachConcurrently(records.entries(), atOnce, async ([index, record]) => {
    found[index] = await misfitOf(deps, types, { record, tenant: organization.namespace });
  });
  return found.filter((each) => each !== undefined);
}

async function misfitOf(
  { schemas }: IncompatibleCheckDeps,
  types: BuiltTypes,
  { record, tenant }: { record: ResourceRecord; tenant: string },
): Promise<MisfittingResource | undefined> {
  const { id, resource, config, typeVersion } = record;
  const name = slashed(record);
  const type = types.find((each) => each.resource === resource);
  if (type === undefined) return { id, name, why: `type ${resource} does not exist` };
  // As the reconciler checks it: by the schema of its version while the type migrates from it, otherwise by the newest.
  const { schema } = schemaForVersion(type, typeVersion ?? type.typeVersion ?? firstTypeVersion);
  if (schema === undefined) return undefined;
  const [first] = await checkConfig(schemas, schema, { config, tenant });
  if (first === undefined) return undefined;
  const field = first.loc.join('.');
  return { id, name, why: field === '' ? first.msg : `${field}: ${first.msg}` };
}
