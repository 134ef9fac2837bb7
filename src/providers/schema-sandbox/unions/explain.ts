// Replaces "matches none of the forms" by what is wrong with the form that was meant: the one that the discriminator names, the
// only one for a value of this type, or the one that is clearly nearest. A form is validated by itself, since the errors that Ajv
// reports for all forms together do not say which form each belongs to.
import type { ErrorObject } from 'ajv';
import { type Discriminator, findDiscriminator } from '../../../domain/unions/discriminator.ts';
import { takesType } from '../../../domain/unions/form.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
} from '../../../lib/json.ts';
import { nearest } from '../../../lib/nearest.ts';
import { essential } from '../essential.ts';
import { formsText } from './form-text.ts';

export interface Explaining {
  readonly schema: JsonObject;
  /** Validates a value by the form with this index of the union that the error is about. */
  readonly errorsOfForm: (error: ErrorObject, index: number) => readonly ErrorObject[];
}

/** Each form that is compared is compiled. */
const maxCompared = 8;

/** The distance between longer texts costs more than it is worth. */
const maxNameLength = 100;

/** @returns one error for each thing to fix, found as the caller asks for the next */
export function* explainedErrors(
  errors: readonly ErrorObject[],
  context: Explaining,
): Generator<ErrorObject> {
  for (const error of essential(errors, context.schema)) {
    if (isUnmatched(error)) yield* explainUnion(error, context);
    else yield error;
  }
}

function isUnmatched({ keyword, params }: ErrorObject): boolean {
  return keyword === 'anyOf' || (keyword === 'oneOf' && !isJsonArray(params['passingSchemas']));
}

function explainUnion(error: ErrorObject, context: Explaining): Iterable<ErrorObject> {
  const members = error.schema as readonly JsonValue[];
  const value = error.data as JsonValue;
  const discriminator = isJsonObject(value)
    ? findDiscriminator(members, context.schema)
    : undefined;
  if (discriminator !== undefined) return explainNamed(error, { discriminator, context });
  const meant = errorsOfNearest(error, context);
  if (meant !== undefined) return explainedErrors(meant, context);
  const text = formsText(members, context.schema);
  return [{ ...error, params: { ...error.params, forms: text } }];
}

function* explainNamed(
  error: ErrorObject,
  { discriminator, context }: { discriminator: Discriminator; context: Explaining },
): Generator<ErrorObject> {
  const { property, forms } = discriminator;
  const given = ownMember(error.data, property);
  const form = forms.find(([value]) => value === given);
  if (form !== undefined) {
    const [, index] = form;
    return yield* explainedErrors(errorsWithin(error, { index, context }), context);
  }
  const allowedValues = forms.map(([value]) => value);
  if (given === undefined) {
    const params = { missingProperty: property, allowedValues };
    return yield { ...error, keyword: 'required', params };
  }
  const names = allowedValues.filter((value) => typeof value === 'string');
  const isName = typeof given === 'string' && given.length <= maxNameLength;
  const meant = isName ? nearest(given, names) : undefined;
  const instancePath = pointer(error.instancePath, property);
  yield { ...error, keyword: 'enum', instancePath, params: { allowedValues, meant } };
}

/** @returns the errors of the form that was meant; undefined when that is not clear */
function errorsOfNearest(
  error: ErrorObject,
  context: Explaining,
): readonly ErrorObject[] | undefined {
  const [first, ...others] = possibleForms(error, context.schema);
  if (first === undefined) return undefined;
  if (others.length === 0) return errorsWithin(error, { index: first, context });
  // A reference in the value has no value yet, and may make a farther form the right one.
  if (others.length >= maxCompared || JSON.stringify(error.data).includes('${')) return undefined;
  const [near, next] = [first, ...others]
    .map((index) => errorsWithin(error, { index, context }))
    .map((errors) => ({ errors, count: essential(errors, context.schema).length }))
    .toSorted((left, right) => left.count - right.count);
  if (near === undefined || next === undefined) return undefined;
  return near.count * 2 <= next.count ? near.errors : undefined;
}

/** @returns the indexes of the forms for values of this type; without one, the only form beside `null` */
function possibleForms(error: ErrorObject, root: JsonObject): readonly number[] {
  const members = error.schema as readonly JsonValue[];
  const all = [...members.keys()];
  const possible = all.filter((index) => takesType(members[index], error.data as JsonValue, root));
  if (possible.length > 0) return possible;
  const beside = all.filter((index) => !takesType(members[index], null, root));
  return beside.length === 1 ? beside : [];
}

function errorsWithin(
  error: ErrorObject,
  { index, context }: { index: number; context: Explaining },
): readonly ErrorObject[] {
  const { instancePath: outer } = error;
  const errors = context.errorsOfForm(error, index);
  return errors.map((each) => ({ ...each, instancePath: `${outer}${each.instancePath}` }));
}
