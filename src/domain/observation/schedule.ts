// When a resource is observed. The moment is a function of identity, so it is the same after every restart: nothing is stored, nothing is
// caught up with, and no two providers come together. Resources of one provider come within a tenth of the interval, so that it can
// rest in between. Pure.
import { sha256Hex } from '../identity.ts';

interface Scheduled {
  /** `namespace/name` of the provider. */
  readonly provider: string;
  readonly uid: string;
  readonly everyMs: number;
}

/** The part of an interval in which the resources of one provider are observed. */
const windowShare = 1 / 10;

/** @returns the time of the next observation after a time, both in milliseconds since 1970 */
export function momentAfter({ provider, uid, everyMs }: Scheduled, time: number): number {
  const offset = fractionOf(provider) * everyMs + fractionOf(uid) * everyMs * windowShare;
  return Math.ceil(offset + (Math.floor((time - offset) / everyMs) + 1) * everyMs);
}

/** @returns the end of the first window of a provider that ends at or after a time: by then, each of its resources was observed once */
export function windowEndAfter(
  { provider, everyMs }: Omit<Scheduled, 'uid'>,
  time: number,
): number {
  const start = fractionOf(provider) * everyMs;
  const begun = Math.floor((time - start) / everyMs) * everyMs;
  // Moments are rounded up, so the end is too: the last one is not after it.
  const end = Math.ceil(start + everyMs * windowShare + begun);
  return end >= time ? end : end + everyMs;
}

/** @returns the end of the first window that begins at or after a time */
export function wholeWindowEndAfter(of: Omit<Scheduled, 'uid'>, time: number): number {
  return windowEndAfter(of, Math.ceil(time + of.everyMs * windowShare) + 1);
}

/** After so many missed intervals, an object counts as not observed. */
export const missedToReport = 3;

const digits = 12;

/** @returns a number from 0 to 1 that depends on the text alone */
function fractionOf(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, digits), 16) / 16 ** digits;
}
