// A record as a table of fields, each with its kind and its default. Three spellings derive from it: values of the program
// (`onDrift: 'correct'`), bodies and files (`on_drift: correct`), and stored objects (`onDrift: Correct`), which have no defaults. Pure.
import { canonicalJson, type JsonValue, withoutUndefined } from './json.ts';

interface FieldKind<Name extends string, Default> {
  readonly kind: Name;
  readonly default: Default;
}

export type FlagField = FieldKind<'flag', boolean>;
/** As ISO 8601 UTC; null: never. */
export type TimeField = FieldKind<'time', null>;
export type TextField = FieldKind<'text', null>;
/** A whole number. */
export type CountField = FieldKind<'count', null> & { readonly min: number; readonly max: number };
/** A set of texts. */
export type TextsField = FieldKind<'texts', readonly string[]>;
type ChoiceField<Choice extends string = string> = FieldKind<'choice', Choice> & {
  readonly choices: readonly [Choice, ...Choice[]];
};
/** Is replaced as a whole. */
export type GroupField<Members extends Fields = Fields> = FieldKind<'group', Values<Members>> & {
  readonly fields: Members;
};
interface Counts {
  readonly [name: string]: CountField;
}
/** At least one of its members, and the others are absent; null: none. Is replaced as a whole. */
export type SparseField<Members extends Counts = Counts> = FieldKind<'sparse', null> & {
  readonly fields: Members;
};
export type Field =
  | FlagField
  | TimeField
  | TextField
  | CountField
  | TextsField
  | ChoiceField
  | GroupField
  | SparseField;
/** By their names in the program. */
export interface Fields {
  readonly [name: string]: Field;
}

export const flag: FlagField = { kind: 'flag', default: false };
export const time: TimeField = { kind: 'time', default: null };
export const text: TextField = { kind: 'text', default: null };
export const texts: TextsField = { kind: 'texts', default: [] };

/** @param choices the first is the default */
export function choice<Choice extends string>(
  ...choices: readonly [Choice, ...Choice[]]
): ChoiceField<Choice> {
  return { kind: 'choice', default: choices[0], choices };
}

export function count({ min = 1, max }: { min?: number; max: number }): CountField {
  return { kind: 'count', default: null, min, max };
}

export function group<Members extends Fields>(fields: Members): GroupField<Members> {
  return { kind: 'group', default: defaultsOf(fields), fields };
}

export function sparse<Members extends Counts>(fields: Members): SparseField<Members> {
  return { kind: 'sparse', default: null, fields };
}

export interface TextRule {
  readonly maxLength: number;
  /** Nothing that does not match is stored. */
  readonly pattern: RegExp;
  /** Reads after `should be`. */
  readonly rule: string;
  /** Default: whatever matches the pattern. */
  readonly isValid?: (text: string) => boolean;
  readonly example: string;
}

/** The facts that only schemas need of a field: beside the table, so that no client loads it. */
export type Rule<F extends Field = Field> = { readonly meaning: string } & (F extends SparseField<
  infer Members
>
  ? { readonly members: Rules<Members>; readonly example: BodyValue<F> }
  : F extends GroupField<infer Members>
    ? { readonly members: Rules<Members> }
    : F extends TextsField
      ? { readonly item: TextRule; readonly maxItems: number }
      : F extends TextField
        ? TextRule
        : unknown);
export type Rules<F extends Fields> = { readonly [Name in keyof F]: Rule<F[Name]> };

type ValueOf<F extends Field> =
  F extends SparseField<infer Members>
    ? { readonly [Name in keyof Members]?: number | undefined } | null
    : F extends GroupField<infer Members>
      ? Values<Members>
      : F extends ChoiceField<infer C>
        ? C
        : Plain<F>;
type Plain<F extends Field> = F extends FlagField
  ? boolean
  : F extends CountField
    ? number | null
    : F extends TextsField
      ? readonly string[]
      : string | null;
export type Values<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };
/** undefined: as it is. */
export type SomeValues<F extends Fields> = {
  readonly [Name in keyof F]?: ValueOf<F[Name]> | undefined;
};

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;
type BodyValue<F extends Field> =
  F extends SparseField<infer Members>
    ? { [Name in keyof Members & string as SnakeCase<Name>]?: number | undefined } | null
    : F extends GroupField<infer Members>
      ? Body<Members>
      : F extends TextsField
        ? string[]
        : ValueOf<F>;
export type Body<F extends Fields> = {
  [Name in keyof F & string as SnakeCase<Name>]: BodyValue<F[Name]>;
};
/** The body of what has no defaults. */
export type SomeBody<F extends Fields> = {
  readonly [Name in keyof F & string as SnakeCase<Name>]?: NonNullable<BodyValue<F[Name]>>;
};
type GivenValue<F extends Field> = F extends SparseField
  ? BodyValue<F>
  : F extends GroupField<infer Members>
    ? GivenBody<Members>
    : ValueOf<F>;
/** The body of a request. null: the default. */
export type GivenBody<F extends Fields> = {
  readonly [Name in keyof F & string as SnakeCase<Name>]?: GivenValue<F[Name]> | null | undefined;
};

type StoredValue<F extends Field> =
  F extends GroupField<infer Members>
    ? Stored<Members>
    : F extends ChoiceField<infer C>
      ? Capitalize<C>
      : F extends TextsField
        ? string[]
        : NonNullable<ValueOf<F>>;
export type Stored<F extends Fields> = {
  readonly [Name in keyof F]?: StoredValue<F[Name]> | undefined;
};

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function defaultsOf<F extends Fields>(fields: F): Values<F> {
  return mapped(fields, (field) => field.default) as Values<F>;
}

export function bodyOf<F extends Fields>(fields: F, values: Values<F>): Body<F>;
export function bodyOf<F extends Fields>(fields: F, values: SomeValues<F>): Partial<Body<F>>;
export function bodyOf(fields: Fields, values: SomeValues<Fields>): object {
  return mapped(fields, (field, name) => bodyValue(field, values[name]), snakeCase);
}

function bodyValue(field: Field, value: unknown): unknown {
  return 'fields' in field && value != null
    ? bodyOf(field.fields, value as SomeValues<Fields>)
    : value;
}

/** @returns what a body names; a group is whole */
export function valuesIn<F extends Fields>(fields: F, body: GivenBody<F>): SomeValues<F> {
  const given: Readonly<Record<string, unknown>> = body;
  return mapped(fields, (field, name) =>
    givenValue(field, given[snakeCase(name)]),
  ) as SomeValues<F>;
}

function givenValue(field: Field, given: unknown): unknown {
  if (given === undefined) return undefined;
  if (given === null) return field.default;
  if (field.kind === 'texts') return [...new Set(given as readonly string[])];
  if (field.kind === 'time') return utc(given as string);
  return 'fields' in field
    ? { ...field.default, ...valuesIn(field.fields, given as GivenBody<Fields>) }
    : given;
}

/** @returns the values with those that are wanted */
export function changedBy<F extends Fields>(values: Values<F>, wanted: SomeValues<F>): Values<F> {
  return { ...values, ...withoutUndefined(wanted) } as Values<F>;
}

/** @returns the values that are not the defaults */
export function withoutDefaults<F extends Fields>(
  fields: F,
  values: SomeValues<F>,
  defaults: SomeValues<F> = defaultsOf(fields),
): SomeValues<F> {
  return mapped(fields, (field, name) => {
    const [value, standard] = [values[name], defaults[name]] as const;
    if (isSame(value, standard)) return undefined;
    return 'fields' in field && value !== undefined
      ? withoutDefaults(field.fields, value as SomeValues<Fields>)
      : value;
  }) as SomeValues<F>;
}

/** @param values without those that are not to be stored */
export function storedOf<F extends Fields>(fields: F, values: SomeValues<F>): Stored<F> {
  return mapped(fields, (field, name) => storedValue(field, values[name])) as Stored<F>;
}

function storedValue(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined;
  if ('fields' in field) return storedOf(field.fields, value as SomeValues<Fields>);
  return field.kind === 'choice' ? capitalized(value as string) : value;
}

export function valuesOf<F extends Fields>(
  fields: F,
  stored: Stored<F>,
  defaults: Values<F> = defaultsOf(fields),
): Values<F> {
  return mapped(
    fields,
    (field, name) => readValue(field, (stored as Stored<Fields>)[name]) ?? defaults[name],
  ) as Values<F>;
}

function readValue(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (field.kind === 'group') {
    return valuesOf(field.fields, value as Stored<Fields>);
  }
  if (field.kind === 'time') return utc(value as string);
  return field.kind === 'choice' ? chosen(field, value as string) : value;
}

/** @returns the choice that a text means in any spelling */
export function chosen({ choices }: ChoiceField, given: string): string | undefined {
  return choices.find((each) => each === given.toLowerCase());
}

export function capitalized<Choice extends string>(name: Choice): Capitalize<Choice> {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}` as Capitalize<Choice>;
}

/** For what was read from a place that others may write. @returns whether all are there, in the form that they have in the program */
export function areValues<F extends Fields>(fields: F, value: unknown): value is Values<F> {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields).every(([name, field]) => isValue(field, given[name]));
}

export function isValue(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return field.choices.some((each) => each === value);
    case 'texts':
      return Array.isArray(value) && value.every((each) => typeof each === 'string');
    case 'group':
      return areValues(field.fields, value);
    case 'sparse':
      if (value === null || typeof value !== 'object') return value === null;
      return areValues(field.fields, { ...defaultsOf(field.fields), ...value });
    case 'count':
      return value === null || Number.isInteger(value);
    case 'text':
    case 'time':
      return value === null || typeof value === 'string';
  }
}

/** A stored time may be in another form, or one that the API server accepts and JavaScript does not. */
function utc(given: string): string {
  const parsed = new Date(given);
  return Number.isNaN(parsed.getTime()) ? given : parsed.toISOString();
}

export function haveSameValues<F extends Fields>(
  fields: F,
  left: Values<F>,
  right: Values<F>,
): boolean {
  return Object.keys(fields).every((name) => isSame(left[name], right[name]));
}

export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return canonicalJson(left as JsonValue) === canonicalJson(right as JsonValue);
}

/** @returns a member for each field, but none that is undefined */
function mapped(
  fields: Fields,
  memberOf: (field: Field, name: string) => unknown,
  nameOf = (name: string) => name,
): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  // A loop: each record, plan and hash of options passes here several times.
  for (const [name, field] of Object.entries(fields)) {
    const member = memberOf(field, name);
    if (member !== undefined) members[nameOf(name)] = member;
  }
  return members;
}
