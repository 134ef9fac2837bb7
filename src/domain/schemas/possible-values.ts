// The members at a path, and the JSON types, that a value can have that fits a schema. It errs on the permitted side: keywords that it does
// not read can only narrow a schema, and what is too deep or too large permits everything. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../lib/json.ts';
import { listIn, referred } from '../../tenant-schema/keywords.ts';

/** As JSON Schema names them: an `integer` is a `number`, too. */
const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];
export type JsonTypes = ReadonlySet<JsonType>;

/** Schemas of which a value fits at least one. With none, there can be no such value. */
export type Alternatives = readonly JsonObject[];

export type Reached =
  | { readonly alternatives: Alternatives }
  /** The index in the path of the name that no value can have, and the names that are possible there. */
  | Undescribed;

/** The index in the path of a name that a schema does not describe, and the names that it describes there. */
export interface Undescribed {
  readonly missing: number;
  readonly names: readonly string[];
}

export interface PossibleValues {
  at(path: readonly string[]): Reached;
  /** @returns undefined when the path is described, or leads through members with any name */
  undescribed(path: readonly string[]): Undescribed | undefined;
  typesOf(alternatives: Alternatives): JsonTypes;
}

/** How what a schema says itself is combined with what its parts say. */
interface Combination<T> {
  readonly read: (schema: JsonObject) => T;
  readonly and: (one: T, other: T) => T;
  readonly or: (one: T, other: T) => T;
  /** The results for a schema that any value fits, and for one that none fits. */
  readonly any: T;
  readonly none: T;
  /** The results of schemas that were combined before: many refer to the same one. */
  readonly known: Map<JsonObject, T>;
}

const maxDepth = 30;
/** Schemas and names of all questions together: the references of one config may be many. */
const maxSteps = 20_000;

/** @example possibleValues(schema).at(['auth', 'usr']) // { missing: 1, names: ['user', 'password'] } */
export function possibleValues(root: JsonObject): PossibleValues {
  let steps = 0;
  function combined<T>(schema: unknown, how: Combination<T>, depth = 0): T {
    if (schema === false) return how.none;
    if (!isJsonObject(schema) || depth > maxDepth || steps > maxSteps) return how.any;
    const found = how.known.get(schema) ?? combinedParts(schema, how, depth);
    how.known.set(schema, found);
    return found;
  }

  function combinedParts<T>(schema: JsonObject, how: Combination<T>, depth: number): T {
    steps += 1;
    const deeper = (part: unknown) => combined(part, how, depth + 1);
    const referredTo = ownMember(schema, '$ref');
    return [
      how.read(schema),
      ...listIn(ownMember(schema, 'allOf')).map(deeper),
      ...(referredTo === undefined ? [] : [deeper(referred(root, referredTo))]),
      ...['anyOf', 'oneOf']
        .map((keyword) => listIn(ownMember(schema, keyword)))
        .filter((branches) => branches.length > 0)
        .map((branches) => branches.map(deeper).reduce(how.or)),
    ].reduce(how.and);
  }
  const each = <T>(alternatives: Alternatives, how: Combination<T>): T =>
    alternatives.map((schema) => combined(schema, how)).reduce(how.or, how.none);
  const types = ofTypes();
  const names = ofNames();
  const freeNames = ofFreeNames();
  const membersBy = new Map<string, Combination<Alternatives>>();
  const membersOf = (alternatives: Alternatives, name: string) => {
    const members = membersBy.get(name) ?? ofMembers(name);
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
        const isFree = described.length === 0 || each(alternatives, freeNames);
        if (!isFree && !described.includes(name)) return { missing, names: described };
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
    and: inBoth,
    or: (one, other) => (one === other ? one : new Set([...one, ...other])),
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
    and: (one, other) => {
      if (one.length === 0 || other.length === 0) return [];
      return one.includes(anything) ? other : one;
    },
    or: union,
    any: [anything],
    none: [],
    known: new Map(),
  };
}

function ofNames(): Combination<readonly string[]> {
  return {
    read: (schema) => Object.keys(ownMember(schema, 'properties') ?? {}),
    and: union,
    or: union,
    any: [],
    none: [],
    known: new Map(),
  };
}

/** Whether names are free by intent: a pattern or a schema says what their values are, or they are the indexes of a list. */
function ofFreeNames(): Combination<boolean> {
  const isEither = (one: boolean, other: boolean) => one || other;
  return {
    read: (schema) =>
      isJsonObject(ownMember(schema, 'patternProperties')) ||
      isJsonObject(ownMember(schema, 'additionalProperties')) ||
      (ownMember(schema, 'type') !== undefined && ownTypes(schema).has('array')),
    and: isEither,
    or: isEither,
    any: false,
    none: false,
    known: new Map(),
  };
}

function union<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  return one === other ? one : [...new Set([...one, ...other])];
}

const ownTypesOf = new WeakMap<JsonObject, JsonTypes>();

/** Computed once for each schema, which is never mutated. */
function ownTypes(schema: JsonObject): JsonTypes {
  const found = ownTypesOf.get(schema) ?? readTypes(schema);
  ownTypesOf.set(schema, found);
  return found;
}

function readTypes(schema: JsonObject): JsonTypes {
  const type = ownMember(schema, 'type');
  const constant = ownMember(schema, 'const');
  const values = constant === undefined ? ownMember(schema, 'enum') : [constant];
  const named = type === undefined ? anyTypes : new Set(listed(type).flatMap(withIntegers));
  if (!isJsonArray(values)) return named;
  return inBoth(named, new Set(values.flatMap(typesOfValue)));
}

function listed(type: JsonValue): readonly JsonValue[] {
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

const index = /^(?:0|[1-9][0-9]{0,8})$/;

function ownMembers(schema: JsonObject, name: string): Alternatives {
  const possible = ownTypes(schema);
  const inObject = possible.has('object') ? ofObject(schema, name) : [];
  const inList = possible.has('array') && index.test(name) ? ofList(schema, Number(name)) : [];
  return union(inObject, inList);
}

function ofObject(schema: JsonObject, name: string): Alternatives {
  const property = ownMember(ownMember(schema, 'properties'), name);
  if (property !== undefined) return permitted(property);
  // Patterns are not matched here.
  if (ownMember(schema, 'patternProperties') !== undefined) return [anything];
  return permitted(ownMember(schema, 'additionalProperties'));
}

function ofList(schema: JsonObject, at: number): Alternatives {
  const first = listIn(ownMember(schema, 'prefixItems'))[at];
  return permitted(first ?? ownMember(schema, 'items'));
}

function permitted(schema: JsonValue | undefined): Alternatives {
  if (schema === false) return [];
  return [isJsonObject(schema) ? schema : anything];
}
