// Reads the options of a resource in a document. One that the document leaves out stays as it is.

import {
  type ResourceOptionsBody,
  resourceOptionFields,
} from '../../../domain/resource-options.ts';
import {
  bodyOf,
  chosen,
  type Field,
  type Fields,
  isValue,
  type SomeValues,
} from '../../../lib/fields.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { unknownField } from './problem.ts';
import type { Path } from './yaml.ts';

export type DeclaredOptions = Partial<ResourceOptionsBody>;

interface OptionProblems {
  /** @returns the name that a field has in the document */
  nameOf(field: string): string;
  problem(path: Path, message: string, part?: 'key'): undefined;
}

type Given = Readonly<Record<string, unknown>>;

export function optionsIn(document: Given, reader: OptionProblems): DeclaredOptions {
  return bodyOf(resourceOptionFields, membersIn(resourceOptionFields, document, [], reader));
}

function membersIn<F extends Fields>(
  fields: F,
  given: Given,
  path: Path,
  reader: OptionProblems,
): SomeValues<F> {
  const members = Object.entries(fields).flatMap(([field, row]) => {
    const name = reader.nameOf(field);
    const value = given[name];
    return value === undefined ? [] : [[field, optionValue(row, value, [...path, name], reader)]];
  });
  return Object.fromEntries(members);
}

function optionValue(field: Field, given: unknown, path: Path, reader: OptionProblems): unknown {
  if ('fields' in field) return groupIn(field, given, path, reader);
  const value = field.kind === 'choice' ? chosen(field, `${given}`) : given;
  // Whether a text is one of those that it takes, the server decides.
  return isValue(field, value) ? value : reader.problem(path, `must be ${expectedForm(field)}`);
}

function groupIn(
  { fields }: Extract<Field, { fields: Fields }>,
  given: unknown,
  path: Path,
  reader: OptionProblems,
): unknown {
  if (given === null) return null;
  const names = Object.keys(fields).map(reader.nameOf);
  if (!isJsonObject(given)) {
    return reader.problem(path, `must be null, or a mapping of ${names.join(', ')}`);
  }
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  for (const name of unknown) reader.problem([...path, name], unknownField(name, names), 'key');
  return membersIn(fields, given, path, reader);
}

function expectedForm(field: Exclude<Field, { fields: Fields }>): string {
  switch (field.kind) {
    case 'flag':
      return 'true or false';
    case 'time':
      return 'a time such as 2026-02-01T08:00:00Z, or null for never';
    case 'choice':
      return field.choices.join(' or ');
    case 'text':
      return 'a text, or null';
    case 'texts':
      return 'a list of texts';
    case 'count':
      return `a whole number from ${field.min} to ${field.max}, or null`;
  }
}
