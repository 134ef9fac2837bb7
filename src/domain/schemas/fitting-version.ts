// Finds the version of its type that a config has which names none. Pure, but for what checks the schemas.
import { type Budget, createBudget } from '../../lib/budget.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { compile, type Place } from '../../tenant-schema/place.ts';
import {
  acceptedVersions,
  type DecidingSchema,
  schemaForVersion,
  type TypeWithSchemas,
} from '../type-version.ts';
import type { FieldPath } from './immutable-fields.ts';

interface UnversionedConfig {
  readonly config: JsonObject;
  /** The newest version that is asked. */
  readonly from: number;
  readonly fits: (deciding: DecidingSchema) => Promise<boolean>;
  /** @returns the immutable fields that another default of a version would change, and nobody declared */
  readonly changedByDefault: (version: number) => Promise<readonly FieldPath[]>;
}

export interface FittingVersion {
  readonly version: number;
  /** The fields because of which it is no newer one. */
  readonly keeps: readonly FieldPath[];
}

/**
 * @returns the newest version that the config fits, and that changes no immutable field by its defaults; where each of them would change
 * one, the newest that it fits. An earlier one must be what it was written for. Undefined where it fits none.
 */
export async function fittingVersion(
  type: TypeWithSchemas,
  { config, from, fits, changedByDefault }: UnversionedConfig,
): Promise<FittingVersion | undefined> {
  let newest: (FittingVersion & { readonly changes: readonly FieldPath[] }) | undefined;
  for (const version of acceptedVersions(type).filter((each) => each <= from)) {
    const deciding = schemaForVersion(type, version);
    const schemas = { earlier: deciding.schema ?? {}, newest: type.schema ?? {} };
    const isAsked = version === from || isWrittenFor(config, schemas);
    if (!(isAsked && (await fits(deciding)))) continue;
    const changes = await changedByDefault(version);
    if (changes.length === 0) return { version, keeps: newest?.changes ?? [] };
    newest ??= { version, keeps: [], changes };
  }
  return newest;
}

/**
 * A schema that ignores what it does not know accepts a config of the newest version with a mistake, too: what only the newest one
 * names was written for that, and so was a name with a typo, unless there is one that only the earlier version has.
 */
function isWrittenFor(
  config: JsonObject,
  { earlier, newest }: { readonly earlier: JsonObject; readonly newest: JsonObject },
): boolean {
  const budget = createBudget();
  const places = [compile([earlier], budget), compile([newest], budget)] as const;
  const found = new Set(holdersOfNames(config, places, budget));
  return !found.has('newest') && (found.has('earlier') || !found.has('neither'));
}

type NameHolder = 'earlier' | 'newest' | 'both' | 'neither';

/** Yields for each name of a config which version has it. Once the budget is spent, nothing is named. */
function* holdersOfNames(
  value: JsonValue,
  [earlier, newest]: readonly [Place | undefined, Place | undefined],
  budget: Budget,
): Iterable<NameHolder> {
  if (!isJsonObject(value) || earlier === undefined || newest === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    const holder = holderOf(name, earlier, newest);
    yield holder;
    if (holder !== 'both') continue;
    yield* holdersOfNames(
      member,
      [earlier.member(name, budget), newest.member(name, budget)],
      budget,
    );
  }
}

function holderOf(name: string, earlier: Place, newest: Place): NameHolder {
  const inNewest = newest.properties.has(name);
  if (earlier.properties.has(name)) return inNewest ? 'both' : 'earlier';
  if (inNewest) return 'newest';
  // Any name is right in a record.
  return earlier.properties.size > 0 ? 'neither' : 'both';
}
