// The options of a resource in its spec, which has none of the defaults. Pure.
import type { Resource } from '../../crds/resource.ts';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import { halfSha256Hex } from '../../domain/identity.ts';
import type { ObserveOptions } from '../../domain/observation/options.ts';
import type { ResourceOptions, WantedOptions } from '../../domain/resource-options.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { declaredHashOf } from './content.ts';

type Spec = Resource['spec'];
type StoredOptions = Pick<
  Spec,
  'protected' | 'expiresAt' | 'paused' | 'deletionPolicy' | 'observe' | 'management' | 'adopt'
>;

export function optionsOf(spec: StoredOptions): ResourceOptions {
  return {
    protected: spec.protected ?? false,
    expiresAt: spec.expiresAt === undefined ? null : utc(spec.expiresAt),
    paused: spec.paused ?? false,
    deletionPolicy: keepsObject(spec) ? 'orphan' : 'delete',
    observe: {
      every: spec.observe?.every ?? null,
      ignore: spec.observe?.ignore ?? [],
      onDrift: spec.observe?.onDrift === 'Correct' ? 'correct' : 'report',
    },
    management: spec.management === 'Observed' ? 'observed' : 'managed',
  };
}

/** Objects that Fairlead did not create are not deleted by accident. @returns whether a deletion leaves the object */
export function keepsObject({
  deletionPolicy,
  adopt,
}: Pick<Spec, 'deletionPolicy' | 'adopt'>): boolean {
  return (deletionPolicy ?? (adopt === undefined ? 'Delete' : 'Orphan')) === 'Orphan';
}

/** kubectl may store a time in another form, or one that the API server accepts and JavaScript does not. */
function utc(time: string): string {
  const parsed = new Date(time);
  return Number.isNaN(parsed.getTime()) ? time : parsed.toISOString();
}

/**
 * @param isCreateUnfinished whether something may exist that is not the object of an import: its default policy is not stored then
 * @returns the spec with the wanted options; those that the request leaves out stay
 */
export function withOptions(spec: Spec, wanted: WantedOptions, isCreateUnfinished = false): Spec {
  const before = optionsOf(spec);
  const {
    protected: isProtected = before.protected,
    expiresAt = before.expiresAt,
    paused = before.paused,
    deletionPolicy = before.deletionPolicy,
    observe = before.observe,
    management = before.management,
  } = wanted;
  const {
    protected: _p,
    expiresAt: _e,
    paused: _s,
    deletionPolicy: _d,
    observe: _o,
    management: _m,
    ...others
  } = spec;
  const isImport = spec.adopt !== undefined;
  const isUnsaid = wanted.deletionPolicy === undefined && spec.deletionPolicy === undefined;
  const isLeftOut = isUnsaid && isCreateUnfinished;
  return {
    ...others,
    ...(isProtected ? { protected: true } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(paused ? { paused: true } : {}),
    // An import has it as well, although it is the default there.
    ...(deletionPolicy === 'orphan' && !isLeftOut ? { deletionPolicy: 'Orphan' as const } : {}),
    ...(deletionPolicy === 'delete' && isImport ? { deletionPolicy: 'Delete' as const } : {}),
    ...storedObserve(observe),
    ...(management === 'observed' ? { management: 'Observed' as const } : {}),
  };
}

function storedObserve({ every, ignore, onDrift }: ObserveOptions): Pick<Spec, 'observe'> {
  const observe = {
    ...(every === null ? {} : { every }),
    ...(ignore.length === 0 ? {} : { ignore: [...ignore] }),
    ...(onDrift === 'correct' ? { onDrift: 'Correct' as const } : {}),
  };
  return Object.keys(observe).length === 0 ? {} : { observe };
}

export function hasSameOptions(left: Spec, right: Spec): boolean {
  return textOf(left) === textOf(right);
}

function textOf(spec: Spec): string {
  const { observe, management, ...options } = optionsOf(spec);
  const isObserved = Object.keys(storedObserve(observe)).length > 0;
  // Without the later options, the text is that of before there were any.
  return canonicalJson({
    ...options,
    ...(isObserved ? { observe } : {}),
    ...(management === 'managed' ? {} : { management }),
  } as unknown as JsonObject);
}

/** @returns the stored spec without the options that hold up its deletion; undefined when `next` lifts none, or changes another one */
export function withoutHolds(stored: Spec, next: Spec): Spec | undefined {
  const { paused, protected: isProtected } = optionsOf(next);
  const lifted = withOptions(stored, {
    ...(paused ? {} : { paused }),
    ...(isProtected ? {} : { protected: isProtected }),
  });
  const isLifted = !hasSameOptions(stored, lifted);
  return isLifted && hasSameOptions(lifted, next) ? lifted : undefined;
}

const defaults = textOf({} as Spec);

export function hasDefaultOptions(spec: Spec): boolean {
  return textOf(spec) === defaults;
}

/** @returns a hash of everything that a revision of the history has: that of the content when all options are the defaults */
export function revisionHashOf(spec: Spec): string {
  const declared = declaredHashOf(spec);
  return hasDefaultOptions(spec)
    ? declared
    : halfSha256Hex(canonicalJson([declared, textOf(spec)]));
}

/**
 * @param existing the stored spec; undefined for a new resource
 * @throws InvalidRequest when a request asks for an expiry in the past, or for one of a protected resource
 */
export function requireValidOptions(
  existing: Spec | undefined,
  next: Spec,
  { wanted, now }: { wanted: WantedOptions; now: Date },
): void {
  const { protected: isProtected, expiresAt } = optionsOf(next);
  if (expiresAt === null) return;
  const before = existing && optionsOf(existing);
  const violation = (field: string, msg: string, input: unknown): Violation => ({
    loc: ['body', field],
    msg,
    type: 'value_error',
    input,
  });
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
