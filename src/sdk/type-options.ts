// Checks the options that a type declares, with the limits of Fairlead.
import { type DeclaredTypeOptions, typeOptionFields } from '../domain/type-options.ts';
import type { CountField, Field, SparseField } from '../lib/fields.ts';
import type { Interval } from './compiler/texts.ts';

/** The options that a type declares by having a handler. */
const handlers = {
  cancelsOperations: 'cancel',
  observe: 'observe',
  listable: 'list',
  plan: 'plan',
} as const;

export type AuthorOptions = {
  readonly [Option in keyof DeclaredTypeOptions as Exclude<
    Option,
    keyof typeof handlers
  >]: Option extends 'observeEvery' ? Interval | undefined : DeclaredTypeOptions[Option];
};
export type RetryOptions = NonNullable<AuthorOptions['retry']>;
type DeclaringHandlers = {
  readonly [Handler in (typeof handlers)[keyof typeof handlers]]?: unknown;
};

export function optionsOfType(type: AuthorOptions & DeclaringHandlers): DeclaredTypeOptions {
  const declared = Object.entries(handlers).map(([option, handler]) => [
    option,
    type[handler] !== undefined,
  ]);
  return { ...type, ...Object.fromEntries(declared) };
}

/**
 * @throws RangeError when Fairlead would reject a number
 * @throws TypeError when an option that may be true is no boolean; when `retry` is no object, has an option that Fairlead does not know,
 * or none; when `cancel` or `plan` is no function
 */
export function requireTypeOptions(type: string, options: AuthorOptions & DeclaringHandlers): void {
  for (const [name, field] of Object.entries(typeOptionFields)) {
    if (name in handlers) continue;
    requireOption(`Type ${type}: ${name}`, field, options[name as keyof AuthorOptions]);
  }
  if (options.cancel !== undefined && typeof options.cancel !== 'function') {
    throw new TypeError(`Type ${type}: cancel must be a function; omit it if nothing can be ended`);
  }
  if (options.plan !== undefined && typeof options.plan !== 'function') {
    throw new TypeError(`Type ${type}: plan must be a function; omit it if there are no rules`);
  }
}

/** The interval of observations is checked with what else a type declares about them. */
function requireOption(option: string, field: Field, value: unknown): void {
  if (value === undefined) return;
  if (field.kind === 'count') requireWhole(option, value, field);
  if (field.kind === 'sparse') requireSome(option, value, field);
  if (field.kind === 'flag' && typeof value !== 'boolean') {
    throw new TypeError(`${option} must be true or false`);
  }
}

function requireSome(option: string, value: unknown, { fields }: SparseField): void {
  const known = Object.keys(fields).join(' and ');
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${option} must be an object with ${known}, or one of them`);
  }
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  if (given.length === 0) {
    throw new TypeError(`${option} is empty; set ${known}, or one of them`);
  }
  for (const [name, each] of given) {
    const field = fields[name];
    if (field === undefined) {
      throw new TypeError(`${option} has no option ${name}; its options are ${known}`);
    }
    requireWhole(`${option}.${name}`, each, field);
  }
}

/** @throws RangeError */
export function requireWhole(
  option: string,
  value: unknown,
  { min, max }: Pick<CountField, 'min' | 'max'>,
): void {
  if (value === undefined) return;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw new RangeError(
    `${option} is ${String(value)}; it must be a whole number from ${min} to ${max}`,
  );
}
