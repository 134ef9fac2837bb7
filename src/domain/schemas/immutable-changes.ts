// Finds the fields of a config that may not change once an event of its resource has succeeded. Pure.
import { canonicalJson, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import type { Resolution } from '../references/references.ts';
import { schemaForVersion, type TypeWithSchemas } from '../type-version.ts';
import { type FieldPath, immutableFields } from './immutable-fields.ts';

/**
 * @param applied version of the type that the config of the last success has
 * @param wanted version that the new config has
 * @returns the fields that may not change between the two. Versions may name and form a field differently, so between them
 * only those count that both mark.
 */
export function immutableFieldsOfType(
  type: TypeWithSchemas,
  applied: number,
  wanted: number,
): readonly FieldPath[] {
  const fields = immutableFields(schemaForVersion(type, wanted).schema);
  if (applied === wanted || fields.length === 0) return fields;
  const before = new Set(immutableFields(schemaForVersion(type, applied).schema).map(textOf));
  return fields.filter((path) => before.has(textOf(path)));
}

/**
 * @param applied the config of the last success
 * @param resolution of the new config; a field whose reference has no value yet is not compared
 * @returns the fields that differ
 */
export function changedImmutables(
  fields: readonly FieldPath[],
  applied: JsonObject,
  { config, unresolved }: Pick<Resolution, 'config' | 'unresolved'>,
): readonly FieldPath[] {
  const changed = changedFields(fields, applied, config);
  const isUnclear = alongOneOf(changed, unresolved);
  return changed.filter((path) => !isUnclear(path));
}

/**
 * @param fields what `immutableFields` returned
 * @returns those whose values differ. A field that only one of the configs has is different, too.
 * @example
 * ```ts
 * changedFields([['zone'], ['size']], { zone: 'a' }, { zone: 'a', size: 1 }); // [['size']]
 * ```
 */
export function changedFields(
  fields: readonly FieldPath[],
  before: JsonObject,
  after: JsonObject,
): readonly FieldPath[] {
  return fields.filter((path) => !isSameValue(fieldAt(before, path), fieldAt(after, path)));
}

function fieldAt(config: JsonObject, path: FieldPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, name) => ownMember(value, name), config);
}

function isSameValue(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  // In canonical JSON, a missing value is null.
  if (before === undefined || after === undefined) return before === after;
  return canonicalJson(before) === canonicalJson(after);
}

/** The ways that lead on from a place, by name. */
interface PathTree extends Map<string, PathTree> {}

/** @returns what tells whether a path leads to one of the places, or one of them to it: both may be thousands */
function alongOneOf(
  paths: readonly FieldPath[],
  places: Resolution['unresolved'],
): (path: FieldPath) => boolean {
  const root: PathTree = new Map();
  const last = (path: FieldPath) =>
    path.reduce<PathTree>((way, name) => {
      const next: PathTree = way.get(name) ?? new Map();
      way.set(name, next);
      return next;
    }, root);
  const ends = new Set(paths.map(last));
  const reached = new Set<PathTree>();
  for (const { at } of places) {
    let way: PathTree | undefined = root;
    for (const name of at) {
      if (ends.has(way)) break;
      way = way.get(`${name}`);
      if (way === undefined) break;
    }
    if (way !== undefined) reached.add(way);
  }
  return (path) => {
    let way: PathTree | undefined = root;
    for (const name of path) {
      if (way === undefined || reached.has(way)) break;
      way = way.get(name);
    }
    return way !== undefined && reached.has(way);
  };
}

function textOf(path: FieldPath): string {
  return JSON.stringify(path);
}
