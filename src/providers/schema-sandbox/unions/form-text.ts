// Says in a few words what each form of a union is. Pure.

import { followed } from '../../../domain/unions/form.ts';
import { isJsonArray, type JsonObject, type JsonValue, ownMember } from '../../../lib/json.ts';
import { truncate } from '../../../lib/text.ts';

const maxForms = 8;
const maxNames = 5;
const maxLength = 300;

const words: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  null: 'null',
  array: 'a list',
  object: 'an object',
};

/** @example formsText([{ type: 'integer' }, { required: ['host'] }], root) // 'an integer, or an object with host' */
export function formsText(members: readonly JsonValue[], root: JsonObject): string {
  const shown = members.slice(0, maxForms).map((form) => formText(followed(form, root)));
  const texts = [...new Set(shown)];
  const last = members.length > maxForms ? 'another form' : (texts.pop() ?? '');
  const before = texts.length > 1 ? `${texts.join(', ')},` : texts.join();
  return truncate(before === '' ? last : `${before} or ${last}`, maxLength);
}

function formText(form: unknown): string {
  const value = ownMember(form, 'const');
  if (value !== undefined) return quotedValue(value);
  const values = ownMember(form, 'enum');
  if (isJsonArray(values)) return listText(values.map(quotedValue), ' or ');
  const type = ownMember(form, 'type');
  const format = ownMember(form, 'format') ?? ownMember(form, 'pattern');
  if (type === 'string' && typeof format === 'string') {
    const rule = ownMember(form, 'format') === format ? format : `like ${truncate(format, 40)}`;
    return `a string (${rule})`;
  }
  const names = memberNames(form);
  if (names.length > 0) return `an object with ${listText(names, ' and ')}`;
  const types = (isJsonArray(type) ? type : [type]).map(
    (each) => words[String(each)] ?? 'another form',
  );
  return types.join(' or ');
}

/** @returns the required members of an object, or else all, with the value of those that have only one */
function memberNames(form: unknown): readonly string[] {
  const properties = ownMember(form, 'properties');
  const required = ownMember(form, 'required');
  const isSome = isJsonArray(required) && required.length > 0;
  const names = isSome ? required : Object.keys((properties ?? {}) as JsonObject);
  return names.map(String).map((name) => {
    const value = ownMember(ownMember(properties, name), 'const');
    return value === undefined ? name : `${name} ${quotedValue(value)}`;
  });
}

function quotedValue(value: JsonValue): string {
  return typeof value === 'string'
    ? `'${truncate(value, 40)}'`
    : truncate(JSON.stringify(value), 40);
}

function listText(texts: readonly string[], and: string): string {
  const shown = texts.slice(0, maxNames).map((text) => truncate(text, 40));
  if (texts.length > maxNames) return `${shown.join(', ')}, …`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')}${and}${last}`;
}
