// How a resource is observed, and who manages it. Neither is content: changing one sends no event. Pure.
import { intervalMs } from './interval.ts';

export const driftActions = ['report', 'correct'] as const;
export type DriftAction = (typeof driftActions)[number];

/** The interval of a resource that is observed only on request. */
export const neverObserved = 'never';

export interface ObserveOptions {
  /** An interval such as `10m`, or `never`; null: that of the type. */
  readonly every: string | null;
  /** JSON Pointers of values in the config that are not compared, with everything below them. */
  readonly ignore: readonly string[];
  readonly onDrift: DriftAction;
}

export const defaultObserveOptions: ObserveOptions = { every: null, ignore: [], onDrift: 'report' };

export const maxIgnored = 64;
/** Characters of one JSON Pointer. */
export const maxIgnoredLength = 512;

/** `managed`: Fairlead creates, updates and deletes it. `observed`: Fairlead only reads what exists. */
export const managements = ['managed', 'observed'] as const;
export type Management = (typeof managements)[number];

/** The form in records, applies and files. */
// A type alias, and no interface: it is a JSON object.
export type ObserveOptionsBody = {
  every: string | null;
  ignore: string[];
  on_drift: DriftAction;
};

export function observeOptionsBody({ every, ignore, onDrift }: ObserveOptions): ObserveOptionsBody {
  return { every, ignore: [...ignore], on_drift: onDrift };
}

export interface GivenObserveOptions {
  readonly every?: string | null | undefined;
  readonly ignore?: readonly string[] | null | undefined;
  readonly on_drift?: DriftAction | null | undefined;
}

/** @param body as a whole: what is absent or null is the default */
export function observeOptionsIn(body: GivenObserveOptions | null): ObserveOptions {
  const { every, ignore, on_drift: onDrift } = body ?? {};
  return {
    every: every ?? null,
    ignore: [...new Set(ignore ?? [])],
    onDrift: onDrift ?? 'report',
  };
}

/** For what was read from a place that others may write. */
export function isObserveOptions(value: unknown): value is ObserveOptions {
  if (typeof value !== 'object' || value === null) return false;
  const { every, ignore, onDrift } = value as Partial<ObserveOptions>;
  return (
    (every === null || typeof every === 'string') &&
    Array.isArray(ignore) &&
    ignore.every((each) => typeof each === 'string') &&
    driftActions.some((each) => each === onDrift)
  );
}

export function isValidEvery(text: string): boolean {
  return text === neverObserved || intervalMs(text) !== undefined;
}
