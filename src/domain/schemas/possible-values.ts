// The members at a path, and the JSON types, that a value can have that fits a schema. It errs on the permitted side: keywords that it does
// not read can only narrow a schema, and what is too deep, or not visited before a budget is spent, permits everything. Pure.
import { createBudget } from '../../lib/budget.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../lib/json.ts';
import { listIn, referred } from '../../tenant-schema/keywords.ts';
import { indexPattern } from '../references/steps.ts';

/** As JSON Schema names them: an `integer` is a `number`, too. */
const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
type JsonType = (typeof jsonTypes)[number];
export type JsonTypes = ReadonlySet<JsonType>;

/** Schemas of which a value fits at least one. With none, there can be no such value. */
type Alternatives = readonly JsonObject[];

type Reached =
  | { readonly alternatives: Alternatives }
  /** The index in the path of the name that no value can have, and the names that are possible there. */
  | Undescribed;

/** The index in the path of a name that a schema does not describe, and the names that it describes there. */
export interface Undescribed {
  readonly missing: number;
  readonly names: ReadonlySet<string>;
}

export interface PossibleValues {
  at(path: readonly string[]): Reached;
  /** @returns undefined when the path is described, or leads through members with any name */
  undescribed(path: readonly string[]): Undescribed | undefined;
  typesOf(alternatives: Alternatives): JsonTypes;
}

/** Combines the result of a schema itself with those of its parts. */
interface Combination<T> {
  readonly read: (schema: JsonObject) => T;
  readonly and: (parts: readonly T[]) => T;
  readonly or: (parts: readonly T[]) => T;
  /** The results for a schema that any value fits, and for one that none fits. */
  readonly any: T;
  readonly none: T;
  /** The results of schemas that were combined before: many refer to the same one. */
  readonly known: Map<JsonObject, T>;
}

const maxDepth = 30;
/** So many schemas or names are put together in the time of a step. */
const membersInStep = 4;
/** Steps to remember what schemas say of a name. */
const newName = 18;

/**
 * @param budget of all questions together: the references of one config may be many
 * @example possibleValues(schema).at(['auth', 'usr']) // { missing: 1, names: ['user', 'password'] }
 */
export function possibleValues(root: JsonObject, budget = createBudget()): PossibleValues {
  function combined<T>(schema: unknown, how: Combination<T>, depth = 0): T {
    if (schema === false) return how.none;
    if (!isJsonObject(schema) || depth > maxDepth) return how.any;
    const before = how.known.get(schema);
    if (before !== undefined) return before;
    const found = budget.spend(3) ? combinedParts(schema, how, depth) : how.any;
    how.known.set(schema, found);
    budget.spend(itemCount(found) / membersInStep);
    return found;
  }

  function combinedParts<T>(schema: JsonObject, how: Combination<T>, depth: number): T {
    const deeper = (part: unknown) => combined(part, how, depth + 1);
    const parts = [how.read(schema), ...listIn(ownMember(schema, 'allOf')).map(deeper)];
    const referredTo = ownMember(schema, '$ref');
    if (referredTo !== undefined) parts.push(deeper(referred(root, referredTo)));
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = listIn(ownMember(schema, keyword));
      if (branches.length > 0) parts.push(how.or(branches.map(deeper)));
    }
    return how.and(parts);
  }

  function each<T>(alternatives: Alternatives, how: Combination<T>): T {
    if (alternatives.length === 0) return how.none;
    if (!budget.spend(1 + alternatives.length)) return how.any;
    return how.or(alternatives.map((schema) => combined(schema, how)));
  }

  const types = ofTypes();
  const names = ofNames();
  const freeNames = ofFreeNames();
  const membersBy = new Map<string, Combination<Alternatives>>();
  const membersOf = (alternatives: Alternatives, name: string) => {
    const before = membersBy.get(name);
    if (!budget.spend(before === undefined ? newName : 1)) return [anything];
    const members = before ?? ofMembers(name);
    membersBy.set(name, members);
    return each(alternatives, members);
  };
  return {
    at(path) {
      let alternatives: Alternatives = [root];
      for (const [index, name] of path.entries()) {
        const next = membersOf(alternatives, name);
        if (next.length === 0) return { missing: index, names: each(alternatives, names) };
        alternatives = next;
        if (alternatives.length === 1 && alternatives[0] === anything) break;
      }
      return { alternatives };
    },
    undescribed(path) {
      let alternatives: Alternatives = [root];
      for (const [missing, name] of path.entries()) {
        const described = each(alternatives, names);
        const isFree = described.size === 0 || each(alternatives, freeNames);
        if (!isFree && !described.has(name)) return { missing, names: described };
        alternatives = membersOf(alternatives, name);
      }
      return undefined;
    },
    typesOf: (alternatives) => each(alternatives, types),
  };
}

const anyTypes: JsonTypes = new Set(jsonTypes);

function ofTypes(): Combination<JsonTypes> {
  return {
    read: ownTypes,
    and: (parts) => parts.reduce(inBoth),
    or: united,
    any: anyTypes,
    none: new Set(),
    known: new Map(),
  };
}

function inBoth(one: JsonTypes, other: JsonTypes): JsonTypes {
  return new Set([...one].filter((type) => other.has(type)));
}

const anything: JsonObject = {};

function ofMembers(name: string): Combination<Alternatives> {
  return {
    read: (schema) => ownMembers(schema, name),
    and: (parts) =>
      parts.reduce((one, other) => {
        if (one.length === 0 || other.length === 0) return [];
        return one.includes(anything) ? other : one;
      }),
    or: union,
    any: [anything],
    none: [],
    known: new Map(),
  };
}

function ofNames(): Combination<ReadonlySet<string>> {
  return {
    read: (schema) => new Set(Object.keys(ownMember(schema, 'properties') ?? {})),
    and: united,
    or: united,
    any: new Set(),
    none: new Set(),
    known: new Map(),
  };
}

/** Whether names are free by intent: a pattern or a schema describes their values, or they are the indexes of a list. */
function ofFreeNames(): Combination<boolean> {
  const some = (parts: readonly boolean[]) => parts.includes(true);
  return {
    read: (schema) =>
      isJsonObject(ownMember(schema, 'patternProperties')) ||
      isJsonObject(ownMember(schema, 'additionalProperties')) ||
      (ownMember(schema, 'type') !== undefined && ownTypes(schema).has('array')),
    and: some,
    or: some,
    any: false,
    none: false,
    known: new Map(),
  };
}

function united<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  const [first = new Set<T>(), ...others] = distinctParts(sets);
  return others.length === 0 ? first : new Set([first, ...others].flatMap((each) => [...each]));
}

function union<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const [first = [], ...others] = distinctParts(lists);
  return others.length === 0 ? first : [...new Set([first, ...others].flat())];
}

/** Branches often are the same one. */
function distinctParts<T>(parts: readonly T[]): readonly T[] {
  return parts.length > 1 ? [...new Set(parts)] : parts;
}

function itemCount(found: unknown): number {
  return isJsonArray(found) ? found.length : found instanceof Set ? found.size : 1;
}

const ownTypesOf = new WeakMap<JsonObject, JsonTypes>();

/** Computed once for each schema, which is never mutated. */
function ownTypes(schema: JsonObject): JsonTypes {
  const found = ownTypesOf.get(schema) ?? typesOfSchema(schema);
  ownTypesOf.set(schema, found);
  return found;
}

function typesOfSchema(schema: JsonObject): JsonTypes {
  const type = ownMember(schema, 'type');
  const constant = ownMember(schema, 'const');
  const values = constant === undefined ? ownMember(schema, 'enum') : [constant];
  const named = type === undefined ? anyTypes : new Set(typeList(type).flatMap(withIntegers));
  if (!isJsonArray(values)) return named;
  return inBoth(named, new Set(values.flatMap(typesOfValue)));
}

function typeList(type: JsonValue): readonly JsonValue[] {
  return isJsonArray(type) ? type : [type];
}

function withIntegers(type: JsonValue): readonly JsonType[] {
  if (type === 'number') return ['number', 'integer'];
  return jsonTypes.filter((each) => each === type);
}

export function typesOfValue(value: JsonValue): readonly JsonType[] {
  if (value === null) return ['null'];
  if (isJsonArray(value)) return ['array'];
  if (typeof value === 'number')
    return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
  return [typeof value as JsonType];
}

function ownMembers(schema: JsonObject, name: string): Alternatives {
  const possible = ownTypes(schema);
  const inObject = possible.has('object') ? ofObject(schema, name) : [];
  const inList =
    possible.has('array') && indexPattern.test(name) ? itemAlternatives(schema, Number(name)) : [];
  return union([inObject, inList]);
}

function ofObject(schema: JsonObject, name: string): Alternatives {
  const property = ownMember(ownMember(schema, 'properties'), name);
  if (property !== undefined) return permittedSchema(property);
  // Patterns are not matched here.
  if (ownMember(schema, 'patternProperties') !== undefined) return [anything];
  return permittedSchema(ownMember(schema, 'additionalProperties'));
}

function itemAlternatives(schema: JsonObject, at: number): Alternatives {
  const first = listIn(ownMember(schema, 'prefixItems'))[at];
  return permittedSchema(first ?? ownMember(schema, 'items'));
}

function permittedSchema(schema: JsonValue | undefined): Alternatives {
  if (schema === false) return [];
  return [isJsonObject(schema) ? schema : anything];
}
