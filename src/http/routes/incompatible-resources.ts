// Finds the resources that the schemas of a version or of a registration would reject. It checks at deploy time, records them on the
// Provider, and checks again on each read, so that fixed resources leave the list.

import type { Organization, ResourceTuple } from '../../domain/identity.ts';
import { jobNameOf } from '../../domain/providers/build.ts';
import { checkConfig } from '../../domain/schemas/check-config.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { firstTypeVersion, schemaForVersion } from '../../domain/type-version.ts';
import type { BuildStore, BuiltType } from '../../store/builds/store.ts';
import type { ResourceStore } from '../../store/interfaces.ts';
import { forEachConcurrently } from '../../store/parallel.ts';
import type { Incompatible, ProviderRecord } from '../../store/providers/store.ts';
import type { ResourceRecord } from '../../store/records.ts';

interface IncompatibleDeps {
  readonly builds: Pick<BuildStore, 'get'>;
  readonly resources: Pick<ResourceStore, 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

interface Misfit {
  readonly id: string;
  /** The first rejected field, or another problem. */
  readonly why: string;
}

export interface IncompatibleFindings {
  /** The number of checked resources. */
  readonly committed: number;
  readonly misfits: readonly Misfit[];
  /** Resources, drafts among them, of types that the version lacks. */
  readonly withoutType: readonly ResourceTuple[];
}

/** Every read checks the recorded resources again. */
const maxRecorded = 50;
export const maxListed = 20;
const maxNamed = 5;
// Keeps the sandbox busy without filling its queue for others.
const atOnce = 4;

/** The types that decide about configs. */
type BuiltTypes = readonly Pick<
  BuiltType,
  'resource' | 'schema' | 'typeVersion' | 'earlierVersions'
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
  const types = new Set(wanted.map(({ resource }) => resource));
  const withoutType = records.filter(({ resource }) => !types.has(resource));
  return { committed: committed.length, misfits, withoutType };
}

/** @returns the record of the incompatible resources of a version; undefined when there are none */
export function incompatibleRecord(
  version: string,
  { misfits }: Pick<IncompatibleFindings, 'misfits'>,
): Incompatible | undefined {
  const ids = misfits.slice(0, maxRecorded).map(({ id }) => id);
  return ids.length === 0 ? undefined : { version, count: misfits.length, ids };
}

/**
 * @param what they do not fit
 * @returns a sentence with the number of misfits, and the first of them with the invalid field; empty when there are none
 */
export function misfitsInWords(
  what: string,
  { committed, misfits }: Pick<IncompatibleFindings, 'committed' | 'misfits'>,
): string {
  if (misfits.length === 0) return '';
  const does = misfits.length === 1 ? 'does' : 'do';
  const named = misfits.slice(0, maxNamed).map(({ id, why }) => `${id} (${why})`);
  const more = misfits.length > maxNamed ? ', …' : '';
  return `${misfits.length} of ${committed} resources ${does} not fit ${what}: ${named.join(', ')}${more}`;
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
  const left = records.filter(({ id, state }) => ids.has(id) && state !== 'draft');
  const found = await again(deps, organization, { incompatible, provider, left });
  return { count: incompatible.count - ids.size + found.length, ids: found.slice(0, maxListed) };
}

/** A status request gets a response even if the build is gone or the sandbox is busy. */
async function again(
  deps: IncompatibleDeps,
  organization: Organization,
  given: { incompatible: Incompatible; provider: string; left: readonly ResourceRecord[] },
): Promise<readonly string[]> {
  const { incompatible, provider, left } = given;
  try {
    const name = jobNameOf(provider, incompatible.version);
    const build = await deps.builds.get(organization, provider, name);
    const misfits = await resourceMisfits(deps, build.types, { records: left, organization });
    return misfits.map(({ id }) => id);
  } catch {
    return left.map(({ id }) => id);
  }
}

/** Keeps the order of the records. */
async function resourceMisfits(
  deps: IncompatibleCheckDeps,
  types: BuiltTypes,
  { records, organization }: { records: readonly ResourceRecord[]; organization: Organization },
): Promise<readonly Misfit[]> {
  const found: (Misfit | undefined)[] = [];
  await forEachConcurrently(records.entries(), atOnce, async ([index, record]) => {
    found[index] = await misfitOf(deps, types, { record, tenant: organization.namespace });
  });
  return found.filter((each) => each !== undefined);
}

async function misfitOf(
  { schemas }: IncompatibleCheckDeps,
  types: BuiltTypes,
  { record, tenant }: { record: ResourceRecord; tenant: string },
): Promise<Misfit | undefined> {
  const { id, resource, config, typeVersion } = record;
  const type = types.find((each) => each.resource === resource);
  if (type === undefined) return { id, why: `type ${resource} does not exist` };
  // As the reconciler checks it: by the schema of its version while the type migrates from it, otherwise by the newest.
  const { schema } = schemaForVersion(type, typeVersion ?? type.typeVersion ?? firstTypeVersion);
  if (schema === undefined) return undefined;
  const [first] = await checkConfig(schemas, schema, { config, tenant });
  if (first === undefined) return undefined;
  const field = first.loc.join('.');
  return { id, why: field === '' ? first.msg : `${field}: ${first.msg}` };
}
