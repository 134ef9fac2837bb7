// Refuses migrations that mistake defaults. A field that cannot change has another default in the next version: resources whose configs
// do not declare it would change, unless the migration writes the old one. Or a step needs a default, which it does not receive. The
// migrations are tried, so a field that one renames is found, too.
import type { z } from 'zod';
import { effectiveValue } from '../../domain/schemas/declared.ts';
import { type FieldPath, immutableFields } from '../../domain/schemas/immutable-fields.ts';
import { sampleConfig } from '../../domain/schemas/sample-config.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { asJson } from '../as-json.ts';
import type { AnyObject } from '../call.ts';
import { thrownText } from '../failure-text.ts';
import type { ResourceType } from '../provider.ts';
import type { Registration } from '../registrations.ts';
import type { Migration } from './from.ts';

interface DefaultChange {
  readonly field: FieldPath;
  /** The field of the next version that has its value: the same one, unless it was renamed. */
  readonly becomes: FieldPath;
  readonly before: JsonValue;
  /** Undefined: the next version has none. */
  readonly after: JsonValue | undefined;
  /** Why the migration could not be tried. */
  readonly untried: string | undefined;
}

/**
 * @param registration what a build records of the type
 * @returns a sentence without a full stop, for its author; undefined where every version keeps the defaults of immutable fields, and
 * every step takes what its schema leaves out
 */
export function defaultProblem(
  { migrations = [], config }: Pick<ResourceType, 'migrations' | 'config'>,
  { earlier_versions = [], schema }: Registration,
): string | undefined {
  const schemas = [...earlier_versions.map((each) => each.schema), schema];
  for (const [at, step] of migrations.entries()) {
    const [before, after] = [schemas[at], schemas[at + 1]];
    if (before === undefined || after === undefined) return undefined;
    const needed = neededDefault(step, migrations[at + 1]?.config ?? config, sampleConfig(before));
    if (needed !== undefined) return neededInWords(step, needed);
    const change = defaultChange(step, before, after);
    if (change !== undefined) return changeInWords(change, step.from);
  }
  return undefined;
}

interface NeededDefault {
  readonly name: string;
  readonly usual: JsonValue;
}

/**
 * A step whose types nobody has checked may need a default of its version, which it does not receive: each event of a resource that
 * does not declare it would fail.
 */
function neededDefault(
  step: Migration,
  next: z.ZodType,
  declared: JsonObject,
): NeededDefault | undefined {
  const parsed = step.config.safeParse(declared);
  // A sample that does not fit says nothing about the step.
  if (!parsed.success) return undefined;
  const filled = asJson(parsed.data as AnyObject);
  if (!isTaken(step, next, filled) || isTaken(step, next, declared)) return undefined;
  const name = Object.keys(filled).find(
    (each) =>
      !Object.hasOwn(declared, each) && !isTaken(step, next, withField(filled, [each], undefined)),
  );
  return name === undefined ? undefined : { name, usual: filled[name] ?? null };
}

/** Whether the next version accepts what a step makes of a config. */
function isTaken(step: Migration, next: z.ZodType, config: JsonObject): boolean {
  const made = migratedBy(step, config);
  return 'config' in made && next.safeParse(made.config).success;
}

function neededInWords({ from }: Migration, { name, usual }: NeededDefault): string {
  return `the migration from version ${from} needs ${name}, which has a default there, and which it does not receive where nobody declared it: let it give the value, as ${name} ?? ${JSON.stringify(usual)}`;
}

function defaultChange(
  step: Migration,
  before: JsonObject,
  after: JsonObject,
): DefaultChange | undefined {
  const fields = immutableFields(before);
  const next = immutableFields(after);
  const sample = fields.length === 0 ? {} : sampleConfig(before);
  for (const field of fields) {
    const undeclared = withField(sample, field, undefined);
    const usual = effectiveValue({ config: undeclared, schema: before }, field);
    if (usual === undefined) continue;
    const tried = { usual, undeclared, declared: withField(sample, field, usual), after };
    const change = next.some(isSamePath(field))
      ? changeOfField(step, field, tried)
      : changeOfRenamed(step, { field, next: next.filter(isNotAmong(fields)) }, tried);
    if (change !== undefined) return change;
  }
  return undefined;
}

interface Tried {
  readonly usual: JsonValue;
  /** A config without the field, and the same with its default. */
  readonly undeclared: JsonObject;
  readonly declared: JsonObject;
  /** Schema of the next version. */
  readonly after: JsonObject;
}

function changeOfField(
  step: Migration,
  field: FieldPath,
  { usual, undeclared, after: schema }: Tried,
): DefaultChange | undefined {
  const made = migratedBy(step, undeclared);
  const untried = 'thrown' in made ? made.thrown : undefined;
  const config = 'config' in made ? made.config : withField({}, field, undefined);
  const after = effectiveValue({ config, schema }, field);
  return equalsJson(usual, after)
    ? undefined
    : { field, becomes: field, before: usual, after, untried };
}

/** A field has been renamed where another one has its value when it is declared. */
function changeOfRenamed(
  step: Migration,
  { field, next }: { readonly field: FieldPath; readonly next: readonly FieldPath[] },
  { usual, undeclared, declared, after: schema }: Tried,
): DefaultChange | undefined {
  const [without, given] = [migratedBy(step, undeclared), migratedBy(step, declared)];
  if ('thrown' in without || 'thrown' in given) return undefined;
  const becomes = next.find((path) => {
    const value = effectiveValue({ config: given.config, schema }, path);
    const other = effectiveValue({ config: without.config, schema }, path);
    return equalsJson(value, usual) && !equalsJson(other, usual);
  });
  if (becomes === undefined) return undefined;
  const after = effectiveValue({ config: without.config, schema }, becomes);
  return { field, becomes, before: usual, after, untried: undefined };
}

function migratedBy(
  { migrateConfig }: Migration,
  config: JsonObject,
): { readonly config: JsonObject } | { readonly thrown: string } {
  try {
    return { config: asJson((migrateConfig as (config: AnyObject) => object)(config)) };
  } catch (thrown) {
    return { thrown: thrownText(thrown, 'It') };
  }
}

/** @param value undefined: the config has the objects above the field, and not the field */
function withField(
  config: JsonObject,
  [name = '', ...rest]: FieldPath,
  value: JsonValue | undefined,
): JsonObject {
  const { [name]: before = {}, ...others } = config;
  if (rest.length > 0) {
    return { ...others, [name]: withField(isJsonObject(before) ? before : {}, rest, value) };
  }
  return value === undefined ? others : { ...others, [name]: value };
}

function equalsJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function isSamePath(path: FieldPath): (other: FieldPath) => boolean {
  return (other) => equalsJson(path, other);
}

function isNotAmong(paths: readonly FieldPath[]): (path: FieldPath) => boolean {
  return (path) => !paths.some(isSamePath(path));
}

function changeInWords(
  { field, becomes, before, after, untried }: DefaultChange,
  version: number,
): string {
  const [name, next] = [field.join('.'), becomes.join('.')];
  const [own = '', other = ''] = [field.at(-1), becomes.at(-1)];
  const renamed = name === next ? '' : ` and becomes ${next}`;
  const to = after === undefined ? 'none' : JSON.stringify(after);
  const old = JSON.stringify(before);
  const why =
    untried === undefined
      ? ''
      : `. The migration could not be tried (${untried}): give the fields of version ${version} examples, as .meta({ examples: […] })`;
  return `version ${version + 1} changes the default of ${name}, which cannot change once a resource exists${renamed}, from ${old} to ${to}. Resources that do not declare it would change: let the migration from version ${version} write the old one, as ${other}: ${own} ?? ${old}${why}`;
}
