// The options of a resource, as clients compare, declare and show them. Pure.
import type { ResourceRecord } from '../api/shapes.ts';
import {
  defaultOptions,
  defaultOptionsFor,
  type GivenOptions,
  type ResourceOptionsBody,
  resourceOptionFields,
  type WantedOptions,
} from '../domain/resource-options.ts';
import { bodyOf, changedBy, isSame, storedOf, valuesIn, withoutDefaults } from '../lib/fields.ts';
import type { JsonObject } from '../lib/json.ts';

/** Options of a record or of an apply; what is absent is not known, or stays as it is. */
export interface DeclaredResourceOptions extends GivenOptions {
  /** No option: it decides about the default of one. */
  readonly adopt?: JsonObject | null | undefined;
}

export const optionNames = Object.keys(
  bodyOf(resourceOptionFields, defaultOptions),
) as readonly (keyof ResourceOptionsBody)[];

/** The name of an option that is on or off. */
export type FlagName = {
  [Name in keyof ResourceOptionsBody]: ResourceOptionsBody[Name] extends boolean ? Name : never;
}[keyof ResourceOptionsBody];

/** The commands that turn such an option on, and off. */
export const flagCommands = {
  protected: { on: 'protect', off: 'unprotect' },
  paused: { on: 'pause', off: 'resume' },
} as const satisfies Readonly<Record<FlagName, object>>;
export const flagNames = Object.keys(flagCommands) as readonly FlagName[];

/** @returns the options that are not the defaults, without the members that are */
export function declaredOptions(options: DeclaredResourceOptions): JsonObject {
  return bodyOf(resourceOptionFields, declaredIn(options)) as JsonObject;
}

/** @returns the same as a manifest has them */
export function manifestOptions(options: DeclaredResourceOptions): object {
  return storedOf(resourceOptionFields, declaredIn(options));
}

function declaredIn(options: DeclaredResourceOptions): WantedOptions {
  const values = valuesIn(resourceOptionFields, options);
  return withoutDefaults(resourceOptionFields, values, defaultOptionsFor(options.adopt));
}

/** @returns the options that a body means in which the absent ones are the defaults */
export function allOptions(body: DeclaredResourceOptions): ResourceOptionsBody {
  const values = valuesIn(resourceOptionFields, body);
  return bodyOf(resourceOptionFields, changedBy(defaultOptionsFor(body.adopt), values));
}

export function hasSameOptions(left: ResourceRecord, right: ResourceRecord): boolean {
  return optionNames.every((name) => isSame(left[name], right[name]));
}
