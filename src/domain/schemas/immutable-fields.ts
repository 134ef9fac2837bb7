// Finds the fields that a schema marks with `immutable`. A mark works where every config has the field at the same path: below
// `properties`, `allOf` and `$ref`.
import { createBudget } from '../../lib/budget.ts';
import { isJsonObject, type JsonObject, ownMember, pointer } from '../../lib/json.ts';
import { isImmutable, listIn, referred } from '../../tenant-schema/keywords.ts';

/** Names of members, from the config down to the field. */
export type FieldPath = readonly string[];

/** A schema, and its JSON Pointer. */
export interface SchemaPlace {
  readonly schema: JsonObject;
  readonly at: string;
}

export interface SchemaPart extends SchemaPlace {
  readonly keyword: string;
  /** Its name or number below the keyword. */
  readonly name: string;
}

/** Schemas that refer twice to the next one, thirty times, name a billion fields in 2 kB. */
export const maxFields = 1_000;
/** Steps for each part of a schema on each path that leads to it. */
const partSteps = 3;
/** The walk is recursive. Configs are not as deep. */
export const maxDepth = 100;

/** Keywords below which marks work. */
const followed = ['properties', 'allOf'];
const known = new WeakMap<JsonObject, readonly FieldPath[]>();

/**
 * @returns the paths of the fields that a schema marks, in its order, without those below another one; computed once for each
 * schema, which is never mutated
 * @example
 * ```ts
 * immutableFields({ properties: { place: { properties: { zone: { immutable: true } } } } }); // [['place', 'zone']]
 * ```
 */
export function immutableFields(schema: JsonObject | undefined): readonly FieldPath[] {
  if (schema === undefined) return [];
  const before = known.get(schema);
  if (before !== undefined) return before;
  const walk = new ImmutableWalk(schema, followedParts, () => undefined);
  known.set(schema, walk.fields);
  return walk.fields;
}

/** @returns the schemas directly inside a schema that may have marks */
type PartsOf = (place: SchemaPlace) => readonly SchemaPart[];

/** @param reason a keyword below which no mark works, or why the fields below a schema cannot be visited */
type Refuse = (place: SchemaPlace, reason: string, path: FieldPath) => void;

/** Visits only what has marks: the rest of a schema may be as large, and refer to itself, as it likes. */
export class ImmutableWalk {
  readonly fields: FieldPath[] = [];
  readonly marking: ReadonlySet<JsonObject>;
  readonly #root: JsonObject;
  readonly #partsOf: PartsOf;
  readonly #refuse: Refuse;
  readonly #open = new Set<JsonObject>();
  /** The budget of the schema alone, so that a type is refused by what is in it. */
  readonly #budget = createBudget();

  /** @param partsOf finds the schemas in a schema that may have marks */
  constructor(root: JsonObject, partsOf: PartsOf, refuse: Refuse) {
    this.#root = root;
    this.#partsOf = partsOf;
    this.#refuse = refuse;
    this.marking = schemasWithMarks(root, partsOf);
    this.#visit([{ schema: root, at: '' }], []);
  }

  #visit(places: readonly SchemaPlace[], path: FieldPath): void {
    const same = together(this.#root, places).filter(({ schema }) => this.marking.has(schema));
    // Whatever is marked below a field that is immutable itself is covered.
    if (path.length > 0 && same.some(isImmutablePlace)) this.fields.push(path);
    else if (this.#mayEnter(same, path)) this.#below(same, path);
  }

  #mayEnter(same: readonly SchemaPlace[], path: FieldPath): boolean {
    const whole = same.find(isImmutablePlace);
    if (whole !== undefined) this.#refuse(whole, 'whole', path);
    const again = same.find(({ schema }) => this.#open.has(schema));
    if (again !== undefined) {
      this.#refuse(again, 'endless', path);
      return false;
    }
    const isTooMuch = this.fields.length >= maxFields || !this.#budget.spend(0);
    if (!isTooMuch && path.length <= maxDepth) return true;
    for (const each of same.slice(0, 1)) this.#refuse(each, 'tooMany', path);
    return false;
  }

  #below(same: readonly SchemaPlace[], path: FieldPath): void {
    const parts = same.flatMap(this.#partsOf);
    this.#budget.spend(partSteps * (same.length + parts.length));
    for (const part of parts.filter(({ schema }) => this.marking.has(schema))) {
      if (!followed.includes(part.keyword)) this.#refuse(part, part.keyword, path);
    }
    const properties = parts.filter(({ keyword }) => keyword === 'properties');
    for (const { schema } of same) this.#open.add(schema);
    for (const [name, each] of Map.groupBy(properties, (part) => part.name)) {
      if (this.#budget.spend(0)) this.#visit(each, [...path, name]);
    }
    for (const { schema } of same) this.#open.delete(schema);
  }
}

function followedParts({ schema, at }: SchemaPlace): readonly SchemaPart[] {
  return followed.flatMap((keyword) =>
    Object.entries(ownMember(schema, keyword) ?? {}).flatMap(([name, each]) =>
      isJsonObject(each)
        ? [{ keyword, name, schema: each, at: pointer(`${at}/${keyword}`, name) }]
        : [],
    ),
  );
}

export function targetOf(root: JsonObject, schema: JsonObject): readonly SchemaPlace[] {
  const ref = ownMember(schema, '$ref');
  const target = referred(root, ref);
  return typeof ref === 'string' && isJsonObject(target)
    ? [{ schema: target, at: ref.slice(1) }]
    : [];
}

/** @returns the schemas themselves, and those that apply to the same value in any case */
function together(root: JsonObject, places: readonly SchemaPlace[]): readonly SchemaPlace[] {
  const found = new Map<JsonObject, SchemaPlace>(places.map((place) => [place.schema, place]));
  // A Map iterates over what is added meanwhile, too.
  for (const [schema, { at }] of found) {
    const all = listIn(ownMember(schema, 'allOf')).flatMap((each, index) =>
      isJsonObject(each) ? [{ schema: each, at: `${at}/allOf/${index}` }] : [],
    );
    for (const place of [...all, ...targetOf(root, schema)]) {
      if (!found.has(place.schema)) found.set(place.schema, place);
    }
  }
  return [...found.values()];
}

/** @returns the schemas that have a mark, or lead to one that has */
function schemasWithMarks(root: JsonObject, partsOf: PartsOf): ReadonlySet<JsonObject> {
  const parents = new Map<JsonObject, JsonObject[]>([[root, []]]);
  for (const [schema] of parents) {
    for (const part of [...partsOf({ schema, at: '' }), ...targetOf(root, schema)]) {
      const before = parents.get(part.schema);
      if (before === undefined) parents.set(part.schema, [schema]);
      else before.push(schema);
    }
  }
  const found = new Set([...parents.keys()].filter(hasMark));
  for (const schema of found) {
    for (const parent of parents.get(schema) ?? []) found.add(parent);
  }
  return found;
}

/** Whether it says anything but that its value may change. */
export function hasMark(schema: JsonObject): boolean {
  const mark = ownMember(schema, 'immutable');
  return mark !== undefined && mark !== false;
}

function isImmutablePlace({ schema }: Pick<SchemaPlace, 'schema'>): boolean {
  return isImmutable(schema);
}
