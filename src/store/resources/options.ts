// The options of a resource in its spec, which has none of the defaults. Pure.
import type { ResourceSpec } from '../../crds/resource.ts';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import {
  defaultOptionsFor,
  type ResourceOptions,
  resourceOptionFields,
  type WantedOptions,
} from '../../domain/resource-options.ts';
import { canonicalHash } from '../../lib/canonical-hash.ts';
import {
  changedBy,
  haveSameValues,
  type Stored,
  storedOf,
  valuesOf,
  withoutDefaults,
} from '../../lib/fields.ts';
import type { JsonObject } from '../../lib/json.ts';
import { declaredHashOf } from './content.ts';

type StoredOptions = Stored<typeof resourceOptionFields> & Pick<ResourceSpec, 'adopt'>;

export function optionsOf(spec: StoredOptions): ResourceOptions {
  return valuesOf(resourceOptionFields, spec, defaultOptionsFor(spec.adopt));
}

/** Returns whether no new event is sent; one in flight ends: its attempts and polls go on. */
export function isPaused({ paused }: StoredOptions): boolean {
  return paused === true;
}

/** Returns whether the resource is neither deleted nor replaced. */
export function isProtected({ protected: isGuarded }: StoredOptions): boolean {
  return isGuarded === true;
}

/** Returns whether the object is only observed: nothing creates, changes or deletes it. */
export function isReadOnly({ management }: StoredOptions): boolean {
  return management === 'Observed';
}

/** Returns whether Fairlead corrects differences of the object by itself. */
export function correctsDrift({ observe }: StoredOptions): boolean {
  return observe?.onDrift === 'Correct';
}

/**
 * @param isCreateUnfinished whether something may exist that is not the object of an import: its default policy is not about it
 * @returns whether a deletion leaves the object
 */
export function keepsObject(spec: StoredOptions, isCreateUnfinished: boolean): boolean {
  const isUnsaid = spec.deletionPolicy === undefined;
  return optionsOf(spec).deletionPolicy === 'orphan' && !(isUnsaid && isCreateUnfinished);
}

export function withAdopt(before: ResourceSpec, adopt: JsonObject | undefined): ResourceSpec {
  if (adopt !== undefined) return { ...before, adopt: adopt as ResourceSpec['adopt'] };
  if (before.adopt === undefined) return before;
  // With it goes the policy that it brought along.
  const { adopt: _adopt, deletionPolicy: _policy, ...created } = before;
  return created;
}

/**
 * @param isCreateUnfinished whether something may exist that is not the object of an import: its default policy is not stored then
 * @returns the spec with the wanted options; those that the request leaves out stay
 */
export function withOptions(
  spec: ResourceSpec,
  wanted: WantedOptions,
  isCreateUnfinished = false,
): ResourceSpec {
  const options = changedBy(optionsOf(spec), wanted);
  const isSaid = wanted.deletionPolicy !== undefined || spec.deletionPolicy !== undefined;
  // Once it is stored, the policy of an import is also about what a later CREATE leaves.
  const isStored = isSaid || !isCreateUnfinished;
  const standard = { ...defaultOptionsFor(spec.adopt) };
  const defaults =
    spec.adopt !== undefined && isStored ? { ...standard, deletionPolicy: undefined } : standard;
  const others = Object.entries(spec).filter(([name]) => !(name in resourceOptionFields));
  return {
    ...(Object.fromEntries(others) as Omit<ResourceSpec, keyof ResourceOptions>),
    ...storedOf(resourceOptionFields, withoutDefaults(resourceOptionFields, options, defaults)),
  };
}

export function hasSameOptions(left: ResourceSpec, right: ResourceSpec): boolean {
  return haveSameValues(resourceOptionFields, optionsOf(left), optionsOf(right));
}

/** @returns the stored spec without the options that hold up its deletion; undefined when `next` lifts none, or changes another one */
export function withoutHolds(stored: ResourceSpec, next: ResourceSpec): ResourceSpec | undefined {
  const { paused, protected: isProtected } = optionsOf(next);
  const lifted = withOptions(stored, {
    ...(paused ? {} : { paused }),
    ...(isProtected ? {} : { protected: isProtected }),
  });
  const isLifted = !hasSameOptions(stored, lifted);
  return isLifted && hasSameOptions(lifted, next) ? lifted : undefined;
}

/** @returns the options that are not the defaults of a resource without an object to import */
function changedOptions(spec: ResourceSpec): WantedOptions {
  return withoutDefaults(resourceOptionFields, optionsOf(spec));
}

export function hasDefaultOptions(spec: ResourceSpec): boolean {
  return Object.keys(changedOptions(spec)).length === 0;
}

const revisionHashes = new WeakMap<ResourceSpec, string>();

/**
 * Cached with the spec, as the hashes of the content are: each record of a resource needs it.
 * @returns a hash of everything that a revision of the history has: that of the content when all options are the defaults
 */
export function revisionHashOf(spec: ResourceSpec): string {
  const known = revisionHashes.get(spec);
  if (known !== undefined) return known;
  const declared = declaredHashOf(spec);
  const options = changedOptions(spec) as JsonObject;
  const areDefaults = Object.keys(options).length === 0;
  const hash = areDefaults ? declared : canonicalHash([declared, options]);
  revisionHashes.set(spec, hash);
  return hash;
}

/**
 * @param existing the stored spec; undefined for a new resource
 * @param ofSet the set whose request this is
 * @throws InvalidRequest when a request asks for an expiry in the past, for one of a protected resource, or for a membership that is
 * not its own
 */
export function requireValidOptions(
  existing: ResourceSpec | undefined,
  next: ResourceSpec,
  { wanted, now, ofSet }: { wanted: WantedOptions; now: Date; ofSet?: string | undefined },
): void {
  const { protected: isProtected, expiresAt } = optionsOf(next);
  const before = existing && optionsOf(existing);
  const violation = (field: string, msg: string, input: unknown): Violation => ({
    loc: ['body', field],
    msg,
    type: 'value_error',
    input,
  });
  // A record that is sent back has the set that is stored.
  if (wanted.set != null && wanted.set !== before?.set && wanted.set !== ofSet) {
    const msg =
      'A resource joins a set by PUT /sets/{set}; omit set, or send null to leave its set';
    throw new InvalidRequest([violation('set', msg, wanted.set)]);
  }
  if (expiresAt === null) return;
  if (isProtected && !(before?.protected && before.expiresAt === expiresAt)) {
    // Leaving a stored time out of the request would keep it.
    const expiresAlready = wanted.expiresAt == null || before?.expiresAt != null;
    throw new InvalidRequest([
      expiresAlready
        ? violation(
            'protected',
            `A resource that expires cannot be protected, and this one expires at ${expiresAt}; send expires_at: null as well, or drop protected`,
            true,
          )
        : violation(
            'expires_at',
            'A protected resource cannot expire; send protected: false as well, or drop expires_at',
            wanted.expiresAt,
          ),
    ]);
  }
  // A record that is sent back has the time that is stored.
  const isNew = before?.expiresAt !== expiresAt;
  if (isNew && Date.parse(expiresAt) <= now.getTime()) {
    const msg = `Input should be a time in the future; it is ${now.toISOString()} now`;
    throw new InvalidRequest([violation('expires_at', msg, wanted.expiresAt)]);
  }
}
