// Interprets the answer to a late delivery: whether it changed anything. Pure.
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { asJson } from '../../as-json.ts';

/** @returns whether two values are the same as JSON */
export function same(one: unknown, other: unknown): boolean {
  return canonicalJson(asJson({ value: one })) === canonicalJson(asJson({ value: other }));
}

interface EarlierAnswers {
  /** The outputs of the event when it was in time. */
  readonly own: JsonObject;
  /** The outputs of the newest event. */
  readonly newest: JsonObject;
}

/** @param answer the outputs of the late delivery; undefined when it has none */
export function isChangedBy(
  answer: JsonObject | undefined,
  { own, newest }: EarlierAnswers,
): boolean | 'unknown' {
  if (answer === undefined || same(own, newest)) return 'unknown';
  if (same(answer, newest)) return false;
  return same(answer, own) ? true : 'unknown';
}
