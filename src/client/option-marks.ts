// The options of a resource that are marked beside its state: what guards it, or ends it. Pure.
import type { ResourceRecord } from '../api/shapes.ts';
import type { DeclaredResourceOptions } from './resource-options.ts';
import { isInDeletion } from './shown-state.ts';
import { ageOf } from './time.ts';

type Marked = DeclaredResourceOptions & Partial<Pick<ResourceRecord, 'deletion_requested_at'>>;

/** The options that are marked where a resource is shown, in this order. */
const marked = {
  protected: (options: Marked) => options.protected === true,
  paused: ({ paused }: Marked) => paused === true,
  // One in deletion does not expire any more.
  expires: ({ expires_at, deletion_requested_at = null }: Marked) =>
    expires_at != null && !isInDeletion({ deletion_requested_at }),
  orphan: ({ deletion_policy }: Marked) => deletion_policy === 'orphan',
  observed: ({ management }: Marked) => management === 'observed',
  corrected: ({ observe }: Marked) => observe?.on_drift === 'correct',
};
export type OptionMark = keyof typeof marked;

export function optionMarksOf(options: Marked): readonly OptionMark[] {
  return (Object.keys(marked) as OptionMark[]).filter((mark) => marked[mark](options));
}

/** Returns whether a deletion removes only the record of a resource. */
export function keepsObject(options: Marked): boolean {
  return optionMarksOf(options).some((mark) => mark === 'orphan' || mark === 'observed');
}

const words: Readonly<Record<OptionMark, string>> = {
  protected: 'protected',
  paused: 'paused',
  expires: 'expires',
  orphan: 'orphaned on delete',
  observed: 'read-only',
  corrected: 'corrected',
};

/** @returns the marks in words, such as `protected` and `expires in 3h` */
export function optionMarks(options: Marked, now: Date, { exact = false } = {}): readonly string[] {
  const time = options.expires_at ?? '';
  const expires = exact ? `expires at ${time}` : expiryText(time, now);
  return optionMarksOf(options).map((mark) => (mark === 'expires' ? expires : words[mark]));
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

const soonMs = 3_600_000;

/** @returns when a resource expires, and whether so soon that it deserves a warning; undefined: never */
export function expiryOf({ expires_at: time }: DeclaredResourceOptions, now: number) {
  return time == null ? undefined : { time, isSoon: Date.parse(time) - now <= soonMs };
}
