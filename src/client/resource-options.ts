// The options of a resource, as clients compare, declare and show them. Pure. A server before 0.2 sends none.
import type { ApplyResource, ResourceRecord } from '../api/shapes.ts';
import {
  type GivenObserveOptions,
  observeOptionsBody,
  observeOptionsIn,
} from '../domain/observation/options.ts';
import {
  defaultOptions,
  type ResourceOptionsBody,
  resourceOptionsBody,
} from '../domain/resource-options.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../lib/json.ts';
import { ageOf } from './time.ts';

type OptionName = keyof ResourceOptionsBody;
/** The options of a record or of an apply; an absent one is not known, or stays as it is. */
export type Options = {
  readonly [Name in Exclude<OptionName, 'observe'>]?: ResourceOptionsBody[Name] | undefined;
} & {
  readonly observe?: GivenObserveOptions | null | undefined;
  /** No option: it decides about the default of one. */
  readonly adopt?: JsonObject | null | undefined;
};

const standardOptions: ResourceOptionsBody = resourceOptionsBody(defaultOptions);
export const optionNames = Object.keys(standardOptions) as readonly OptionName[];

/** An import leaves its object when it is deleted: what Fairlead did not create it does not delete by accident. */
function standardFor({ adopt }: Pick<Options, 'adopt'>): ResourceOptionsBody {
  return adopt == null ? standardOptions : { ...standardOptions, deletion_policy: 'orphan' };
}

/** @returns the options that are not the defaults, without the members that are */
export function declaredOptions(options: Options): JsonObject {
  const standard = standardFor(options);
  const found = optionNames.filter(
    (name) => options[name] !== undefined && !isSame(name, options, standard),
  );
  return Object.fromEntries(
    found.map((name) => {
      const value = name === 'observe' ? declaredObserve(options) : optionIn(name, options);
      return [name, value ?? null];
    }),
  );
}

function declaredObserve({ observe = null }: Options): JsonObject {
  const { every, ignore, on_drift } = observeOptionsBody(observeOptionsIn(observe));
  return {
    ...(every === null ? {} : { every }),
    ...(ignore.length === 0 ? {} : { ignore }),
    ...(on_drift === 'report' ? {} : { on_drift }),
  };
}

/** Returns whether an apply leaves the options of a record, and what identifies its object, as they are. */
export function keepsOptions(record: Options, body: Options): boolean {
  return (
    optionNames.every((name) => body[name] === undefined || isSame(name, body, record)) &&
    (body.adopt === undefined || canonicalJson(body.adopt) === canonicalJson(record.adopt ?? null))
  );
}

/** @returns the options that a body without them would leave, as those that a record without them has */
export function withAllOptions(
  record: ResourceRecord,
  body: ApplyResource,
): Partial<ResourceOptionsBody> {
  const known = optionNames.filter((name) => record[name] !== undefined);
  const standard = standardFor(body);
  return Object.fromEntries(known.map((name) => [name, body[name] ?? standard[name]]));
}

function isSame(name: OptionName, left: Options, right: Options): boolean {
  return canonicalJson(optionIn(name, left)) === canonicalJson(optionIn(name, right));
}

/** A time may be written in another zone, and without its milliseconds; how a resource is observed, without its defaults. */
function optionIn(name: OptionName, options: Options): JsonValue | undefined {
  if (name === 'observe') {
    const { observe } = options;
    return observe === undefined ? undefined : observeOptionsBody(observeOptionsIn(observe));
  }
  const value = options[name];
  if (name !== 'expires_at' || typeof value !== 'string') return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

/** @returns what people see of the options that are not the defaults, such as `protected` and `expires in 3h` */
export function optionMarks(
  options: Options,
  now: Date,
  { exact = false } = {},
): readonly string[] {
  const { expires_at: expiry } = options;
  return [
    ...(options.protected === true ? ['protected'] : []),
    ...(options.paused === true ? ['paused'] : []),
    ...(expiry == null ? [] : [exact ? `expires at ${expiry}` : expiryText(expiry, now)]),
    ...(options.deletion_policy === 'orphan' ? ['orphaned on delete'] : []),
    ...(options.management === 'observed' ? ['read-only'] : []),
    ...(options.observe?.on_drift === 'correct' ? ['corrected'] : []),
  ];
}

/** @returns such as `expires in 3h` */
export function expiryText(time: string, now: Date): string {
  const left = Date.parse(time) - now.getTime();
  return left <= 0 ? 'expired' : `expires in ${ageOf(left + allButOne(left))}`;
}

/** Rounds up, so that `--ttl 8h` shows as 8h a second later. */
function allButOne(left: number): number {
  if (left >= 86_400_000) return 3_599_999;
  return left >= 3_600_000 - 60_000 ? 59_999 : 999;
}
