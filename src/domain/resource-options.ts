// The options of a resource: how Fairlead treats it. They are no content: changing one sends no event, but for the one that makes a
// resource managed that was only observed. Whatever has an option derives it from its row here, and from its meaning in
// resource-option-rules.ts. Pure.
import {
  areValues,
  type Body,
  choice,
  defaultsOf,
  flag,
  type GivenBody,
  group,
  type SomeValues,
  text,
  texts,
  time,
  type Values,
} from '../lib/fields.ts';

/** The interval of a resource that is observed only on request. */
export const neverObserved = 'never';

export const resourceOptionFields = {
  protected: flag,
  expiresAt: time,
  paused: flag,
  deletionPolicy: choice('delete', 'orphan'),
  observe: group({ every: text, ignore: texts, onDrift: choice('report', 'correct') }),
  management: choice('managed', 'observed'),
  set: text,
};

export type ResourceOptions = Values<typeof resourceOptionFields>;
/** Options of a request; undefined keeps the stored value. */
export type WantedOptions = SomeValues<typeof resourceOptionFields>;
/** The options as records have them. */
export type ResourceOptionsBody = Body<typeof resourceOptionFields>;
/** The options as an apply has them. */
export type GivenOptions = GivenBody<typeof resourceOptionFields>;

export const defaultOptions: ResourceOptions = defaultsOf(resourceOptionFields);

/** Objects that Fairlead did not create are not deleted by accident. @param adopt what identifies the object of an import */
export function defaultOptionsFor(adopt: unknown): ResourceOptions {
  return adopt == null ? defaultOptions : { ...defaultOptions, deletionPolicy: 'orphan' };
}

/**
 * For what was read from a place that others may write. @returns undefined when they are no options; what an earlier program did not
 * record is the default
 */
export function resourceOptionsIn(value: unknown): ResourceOptions | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const options = { ...defaultOptions, ...value };
  return areValues(resourceOptionFields, options) ? options : undefined;
}
