// Finds the fields of a config that may not change once an event of its resource has succeeded. Pure.
import { createBudget } from '../../lib/budget.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Resolution } from '../references/references.ts';
import { schemaForVersion, type TypeWithSchemas } from '../type-version.ts';
import { isSameField, ownField } from './declared.ts';
import { type FieldPath, immutableFields } from './immutable-fields.ts';

/** The fields that may not change between a config and the one before it, and the schema of the version of each. */
export interface ImmutableRule {
  readonly fields: readonly FieldPath[];
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/**
 * @param applied version of the type that the config of the last success has
 * @param wanted version that the new config has
 * @returns the fields that may not change between the two. Versions may name and form a field differently, so between them
 * only those count that both mark.
 */
export function immutableRuleOfType(
  type: TypeWithSchemas,
  applied: number,
  wanted: number,
): ImmutableRule {
  const { schema: before } = schemaForVersion(type, applied);
  const { schema: after } = schemaForVersion(type, wanted);
  const fields = immutableFields(after);
  if (applied === wanted || fields.length === 0) return { fields, before, after };
  const marked = new Set(immutableFields(before).map(textOf));
  return { fields: fields.filter((path) => marked.has(textOf(path))), before, after };
}

/**
 * @param applied the config of the last success
 * @param resolution of the new config; a field whose reference has no value yet is not compared
 * @returns the fields that differ. A value that equals the default of its version is the same as none.
 */
export function changedImmutables(
  { fields, before, after }: ImmutableRule,
  applied: JsonObject,
  { config, unresolved }: Pick<Resolution, 'config' | 'unresolved'>,
): readonly FieldPath[] {
  const sides = [
    { config: applied, schema: before },
    { config, schema: after },
  ] as const;
  const budget = createBudget();
  const changed = fields.filter((path) => !isSameField(path, sides, budget));
  const isUnclear = alongOneOf(changed, unresolved);
  return changed.filter((path) => !isUnclear(path));
}

/** @returns whether a config has none of the fields itself: only defaults change them */
export function areUndeclared(fields: readonly FieldPath[], config: JsonObject): boolean {
  return fields.every((path) => ownField(config, path) === undefined);
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
