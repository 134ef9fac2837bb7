// The options of a resource that are marked beside its state: what guards it, or ends it. Pure.
import type { ResourceRecord } from '../api/shapes.ts';
import type { DeclaredResourceOptions } from './resource-options.ts';
import { ageOf } from './time.ts';

type Marked = DeclaredResourceOptions & Partial<Pick<ResourceRecord, 'deletion_requested_at'>>;

/** The options that are marked where a resource is shown, in this order: in words, and in the console with a sign, or a drawn one. */
export const shownMarks = {
  protected: { word: 'protected', sign: '', isSet: (options: Marked) => options.protected },
  paused: { word: 'paused', sign: '‖', isSet: (options: Marked) => options.paused },
  expires: {
    word: 'expires',
    sign: '◷',
    // One in deletion does not expire any more.
    isSet: (options: Marked) => options.expires_at && options.deletion_requested_at == null,
  },
  orphan: {
    word: 'orphaned on delete',
    sign: '◌',
    isSet: (options: Marked) => options.deletion_policy === 'orphan',
  },
  observed: {
    word: 'read-only',
    sign: '◉',
    isSet: (options: Marked) => options.management === 'observed',
  },
  corrected: {
    word: 'corrected',
    isSet: (options: Marked) => options.observe?.on_drift === 'correct',
  },
};
export type OptionMark = keyof typeof shownMarks;

export function optionMarksOf(options: Marked): readonly OptionMark[] {
  return (Object.keys(shownMarks) as OptionMark[]).filter((mark) =>
    shownMarks[mark].isSet(options),
  );
}

/** Returns whether a deletion removes only the record of a resource. */
export function keepsObject(options: Marked): boolean {
  return optionMarksOf(options).some((mark) => mark === 'orphan' || mark === 'observed');
}

/** @returns the marks in words, such as `protected` and `expires in 3h` */
export function optionMarks(options: Marked, now: Date, { exact = false } = {}): readonly string[] {
  const time = options.expires_at ?? '';
  const expires = exact ? `expires at ${time}` : expiryText(time, now);
  return optionMarksOf(options).map((mark) =>
    mark === 'expires' ? expires : shownMarks[mark].word,
  );
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
export function shownExpiry({ expires_at: time }: DeclaredResourceOptions, now: number) {
  return time == null ? undefined : { time, isSoon: Date.parse(time) - now <= soonMs };
}
