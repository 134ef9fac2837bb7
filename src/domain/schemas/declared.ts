// Compares what configs declare. A value that equals the default of its place, in the schema of its version, is the same as none: immutability,
// differences and histories are decided here, each side by the schema of its own version. What is stored stays as it was declared. Pure.
import { type Budget, createBudget } from '../../lib/budget.ts';
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../lib/json.ts';
import { listIn, referred } from '../../tenant-schema/keywords.ts';
import { firstTypeVersion, schemaForVersion, type TypeWithSchemas } from '../type-version.ts';
import { type Discriminator, findDiscriminator } from '../unions/discriminator.ts';
import type { FieldPath } from './immutable-fields.ts';

/** A value of a config, at its place in the schema of its version. */
interface DeclaredValue {
  /** The default of its place where the config has none; undefined without one. */
  readonly value: JsonValue | undefined;
  /** The schemas that describe it in any case. */
  readonly schemas: readonly JsonObject[];
  readonly schema: JsonObject;
  readonly budget: Budget;
  /** @returns whether the config has it, and it is not the default of its place */
  isDeclared(): boolean;
}

/** A config, and the schema of the version of its type that it has; undefined: any config fits. */
export interface DeclaredConfig {
  readonly config: JsonObject;
  readonly schema: JsonObject | undefined;
}

/**
 * Two fields without a declared value are the same, unless the versions have different defaults. A field that only one of the versions
 * has a default for is then the same, too: the other one does not say what it was.
 * @returns whether a field has the same value in two configs; false once the budget is spent
 */
export function isSameField(
  path: FieldPath,
  [before, after]: readonly [DeclaredConfig, DeclaredConfig],
  budget = createBudget(),
): boolean {
  const [left, right] = [before, after].map(({ config }) => ownField(config, path));
  const isRead = before.schema === after.schema || (left !== undefined && typeof left !== 'object');
  // Most fields: without a step for each schema.
  if (isRead && hasSameText(left, right)) return true;
  return meansTheSame(fieldIn(before, path, budget), fieldIn(after, path, budget));
}

/**
 * @param type undefined: it is not known, and no field is the same
 * @param sides a config without a version has the newest one
 * @returns what tells whether a field is the same in both, as `isSameField` does
 */
export function sameFields(
  type: TypeWithSchemas | undefined,
  sides: readonly [UnreadConfig, UnreadConfig],
  budget = createBudget(),
): (path: FieldPath) => boolean {
  if (type === undefined) return () => false;
  const { typeVersion: newest = firstTypeVersion } = type;
  const [before, after] = sides.map(({ config, typeVersion }) => {
    return { config, schema: schemaForVersion(type, typeVersion ?? newest).schema };
  }) as [DeclaredConfig, DeclaredConfig];
  return (path) => isSameField(path, [before, after], budget);
}

interface UnreadConfig {
  readonly config: JsonObject;
  readonly typeVersion?: number | null | undefined;
}

/** @returns the value that a config itself has at a path */
export function ownField(config: JsonObject, path: FieldPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, name) => ownMember(value, name), config);
}

function hasSameText(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  // In canonical JSON, a missing value is null.
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

/** @returns the value that a field has, which may be its default; undefined when it has none */
export function effectiveValue(
  config: DeclaredConfig,
  path: FieldPath,
  budget = createBudget(),
): JsonValue | undefined {
  return fieldIn(config, path, budget).value;
}

/** Schemas may contain themselves by a default: nothing deeper is filled in. */
const maxFilledDepth = 32;

/**
 * @returns the config, and the default of each place that it leaves out, as far as its schema has one in any case: of a union only those
 * of the form that the value has
 * @example
 * ```ts
 * withDefaults({ config: { size: 3 }, schema: { properties: { public: { default: false } } } }); // { size: 3, public: false }
 * ```
 */
export function withDefaults(config: DeclaredConfig, budget = createBudget()): JsonObject {
  return filled(wholeOf(config, budget), maxFilledDepth) as JsonObject;
}

function filled(of: DeclaredValue, depth: number): JsonValue | undefined {
  const { value, budget } = of;
  if (depth === 0) return value;
  if (isJsonArray(value)) {
    if (!budget.spend(value.length)) return value;
    return value.map((item, index) => filled(declaredItem(of, value, index), depth - 1) ?? item);
  }
  if (!isJsonObject(value)) return value;
  const names = new Set(namesWithDefaults(of));
  if (!budget.spend(names.size)) return value;
  const members = [...names].flatMap((name) => {
    const member = filled(declaredMember(of, name), depth - 1);
    return member === undefined ? [] : [[name, member] as const];
  });
  return Object.fromEntries(members);
}

function fieldIn(versioned: DeclaredConfig, path: FieldPath, budget: Budget): DeclaredValue {
  return path.reduce(declaredMember, wholeOf(versioned, budget));
}

function wholeOf({ config, schema = {} }: DeclaredConfig, budget: Budget): DeclaredValue {
  const schemas = certain([schema], config, { schema, budget });
  return { value: config, schemas, schema, budget, isDeclared: () => true };
}

function declaredMember(of: DeclaredValue, name: string): DeclaredValue {
  const below = of.schemas.flatMap((each) => {
    const named = ownMember(ownMember(each, 'properties'), name);
    return [named ?? ownMember(each, 'additionalProperties')].filter(isJsonObject);
  });
  const own = ownMember(of.value, name);
  const schemas = certain(below, own, of);
  const usual = schemas.find((each) => Object.hasOwn(each, 'default'))?.['default'];
  if (own === undefined) {
    return { ...of, value: usual, schemas: certain(below, usual, of), isDeclared: () => false };
  }
  const at = { ...of, value: own, schemas };
  const isUsual = () => usual !== undefined && meansTheSame(at, { ...at, value: usual });
  return { ...at, isDeclared: () => of.isDeclared() && !isUsual() };
}

function declaredItem(of: DeclaredValue, list: readonly JsonValue[], index: number): DeclaredValue {
  const value = list[index];
  const below = of.schemas.flatMap((each) => {
    const first = listIn(ownMember(each, 'prefixItems'))[index];
    return [first ?? ownMember(each, 'items')].filter(isJsonObject);
  });
  return { ...of, value, schemas: certain(below, value, of), isDeclared: () => true };
}

function meansTheSame(one: DeclaredValue, other: DeclaredValue): boolean {
  const [left, right] = [one.value, other.value];
  if (left === undefined || right === undefined) {
    return left === right || !(one.isDeclared() || other.isDeclared());
  }
  if (isJsonObject(left) && isJsonObject(right)) return hasSameMembers(one, other);
  return isJsonArray(left) && isJsonArray(right)
    ? hasSameItems([one, left], [other, right])
    : canonicalJson(left) === canonicalJson(right);
}

function hasSameMembers(one: DeclaredValue, other: DeclaredValue): boolean {
  const names = new Set([...namesWithDefaults(one), ...namesWithDefaults(other)]);
  if (!one.budget.spend(names.size)) return false;
  return [...names].every((name) =>
    meansTheSame(declaredMember(one, name), declaredMember(other, name)),
  );
}

type DeclaredList = readonly [of: DeclaredValue, list: readonly JsonValue[]];

function hasSameItems([one, left]: DeclaredList, [other, right]: DeclaredList): boolean {
  if (left.length !== right.length || !one.budget.spend(left.length)) return false;
  return left.every((_, index) =>
    meansTheSame(declaredItem(one, left, index), declaredItem(other, right, index)),
  );
}

/** The members that a value has, and those that its schemas know: they may have a default. */
function namesWithDefaults({ value, schemas }: DeclaredValue): readonly string[] {
  const known = schemas.flatMap(({ properties }) => Object.keys(properties ?? {}));
  return [...Object.keys(value ?? {}), ...known];
}

/**
 * @returns the schemas that describe a value in any case: themselves, `allOf` and `$ref`, and of a union the form that the value has. A
 * union whose form is not known says nothing.
 */
function certain(
  schemas: readonly JsonObject[],
  value: JsonValue | undefined,
  { schema: root, budget }: Pick<DeclaredValue, 'schema' | 'budget'>,
): readonly JsonObject[] {
  const found = new Set(schemas);
  // A Set iterates over what is added meanwhile, too.
  for (const schema of found) {
    if (!budget.spend(1)) return [];
    const { allOf, anyOf, oneOf, $ref } = schema;
    const more = [...listIn(allOf), referred(root, $ref), formOf(root, anyOf ?? oneOf, value)];
    for (const each of more.filter(isJsonObject)) found.add(each);
  }
  return [...found];
}

const discriminators = new WeakMap<readonly JsonValue[], { found: Discriminator | undefined }>();

function formOf(root: JsonObject, forms: unknown, value: JsonValue | undefined): unknown {
  if (!isJsonArray(forms)) return undefined;
  const others = forms.filter((form) => ownMember(form, 'type') !== 'null');
  // A value that may be null, too.
  if (others.length < 2) return others[0];
  const known = discriminators.get(forms) ?? { found: findDiscriminator(forms, root) };
  discriminators.set(forms, known);
  if (known.found === undefined) return undefined;
  const { property, forms: byValue } = known.found;
  const named = ownMember(value, property);
  const at = byValue.find(([each]) => each === named)?.[1];
  return at === undefined ? undefined : forms[at];
}
