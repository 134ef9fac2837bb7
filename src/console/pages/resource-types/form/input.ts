// The typed values of the fields of a form, and what they begin with. Pure.

import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  ownMember,
} from '../../../../lib/json.ts';
import { type Field, jsonField } from './model.ts';

export type Input =
  /** The text of a text, a number or JSON; the index of an option for a choice, and `true` or `false` for a boolean. */
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'group';
      readonly isSet: boolean;
      readonly members: ReadonlyMap<string, Input>;
    }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  /** -1: none. */
  | { readonly kind: 'variant'; readonly chosen: number; readonly input: Input };

export interface Row {
  /** Stays when rows before it are removed. */
  readonly id: number;
  /** The name of a member of a record; empty for an item of a list. */
  readonly name: string;
  readonly input: Input;
}

export const empty: Input = { kind: 'text', text: '' };
const maxInputs = 1_500;
let lastId = 0;

export function newRow(item: Field): Row {
  return rowOf(inputOf(item), '');
}

function rowOf(input: Input, name: string): Row {
  lastId += 1;
  return { id: lastId, name, input };
}

/** @returns what a field begins with: its default */
export function inputOf(field: Field): Input {
  return inputFrom({ left: maxInputs, isExact: false }, field, field.initial);
}

/** @returns the fields of a form with their defaults; one of JSON when there would be too many */
export function startOf(field: Field): { field: Field; input: Input } {
  const state = { left: maxInputs, isExact: false };
  const input = inputFrom(state, field, field.initial);
  if (state.left > 0) return { field, input };
  const json = jsonField(field);
  return { field: json, input: inputOf(json) };
}

/** @returns what fields begin with that show a value, as far as they can; defaults do not count */
export function inputWith(field: Field, value: JsonValue): Input {
  return inputFrom({ left: maxInputs, isExact: true }, field, value);
}

interface Begin {
  /** How many more inputs there may be: a default may be a list of thousands. */
  left: number;
  /** Whether defaults do not count. */
  readonly isExact: boolean;
}

function inputFrom(state: Begin, field: Field, value: JsonValue | undefined): Input {
  state.left -= 1;
  switch (field.kind) {
    case 'group':
      return beginGroup(state, field, value);
    case 'list':
      return { kind: 'rows', rows: itemsFor(state, field, value) };
    case 'record':
      return { kind: 'rows', rows: membersFor(state, field, value) };
    case 'variants':
      return beginVariant(state, field, value);
    case 'boolean':
    case 'choice':
    case 'fixed':
    case 'json':
    case 'number':
    case 'text':
      return { kind: 'text', text: inputText(field, value) };
  }
}

type Of<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

function beginGroup(state: Begin, field: Of<'group'>, value: JsonValue | undefined): Input {
  const members = field.members.map(({ name, field: member }) => {
    const given = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    const initial = state.isExact ? given : (given ?? member.initial);
    return [name, inputFrom(state, member, initial)] as const;
  });
  const isSet = isJsonObject(value) || (field.isRequired && !field.isNullable);
  return { kind: 'group', isSet, members: new Map(members) };
}

function itemsFor(state: Begin, { item, min }: Of<'list'>, value: JsonValue | undefined) {
  const rows: Row[] = [];
  const given = isJsonArray(value) ? value : [];
  for (const each of given) if (state.left > 0) rows.push(rowOf(inputFrom(state, item, each), ''));
  const first = !state.isExact && min > 0 && rows.length === 0;
  return first ? [rowOf(inputFrom(state, item, item.initial), '')] : rows;
}

function membersFor(state: Begin, { item }: Of<'record'>, value: JsonValue | undefined) {
  const rows: Row[] = [];
  for (const [name, each] of Object.entries(isJsonObject(value) ? value : {})) {
    if (state.left > 0) rows.push(rowOf(inputFrom(state, item, each), name));
  }
  return rows;
}

function beginVariant(state: Begin, field: Of<'variants'>, value: JsonValue | undefined): Input {
  const fitting =
    value === undefined ? -1 : field.variants.findIndex((each) => fits(each.field, value));
  const variant = field.variants[fitting]?.field;
  const input = variant === undefined ? empty : inputFrom(state, variant, value);
  return { kind: 'variant', chosen: fitting, input };
}

/** @returns the input of a variant that somebody chooses */
export function variantInput({ variants }: Of<'variants'>, chosen: number): Input {
  const variant = variants[chosen]?.field;
  return { kind: 'variant', chosen, input: variant === undefined ? empty : inputOf(variant) };
}

function fits(field: Field, value: JsonValue): boolean {
  switch (field.kind) {
    case 'group':
      return (
        isJsonObject(value) &&
        field.members.every(({ name, field: member }) => {
          const given = ownMember(value, name) as JsonValue | undefined;
          if (given === undefined) return !member.isRequired;
          return member.kind !== 'fixed' || isEqual(member.value, given);
        })
      );
    case 'list':
      return isJsonArray(value);
    case 'record':
      return isJsonObject(value);
    case 'fixed':
      return isEqual(field.value, value);
    case 'choice':
      return field.options.some((option) => isEqual(option, value));
    case 'text':
      return typeof value === 'string';
    case 'json':
    case 'variants':
      return true;
    case 'boolean':
    case 'number':
      return typeof value === field.kind;
  }
}

function inputText(field: Field, value: JsonValue | undefined): string {
  if (field.kind === 'json') return value === undefined ? '' : JSON.stringify(value, null, 2);
  if (value === undefined || value === null) return '';
  if (field.kind === 'choice') {
    const at = field.options.findIndex((option) => isEqual(option, value));
    return at < 0 ? '' : `${at}`;
  }
  return typeof value === 'object' ? '' : `${value}`;
}

/** The one of `lib/fields` is in another chunk of the console, and its import costs more than this. */
function isEqual(left: JsonValue, right: JsonValue): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
