// Interprets the answer to a late delivery: whether it changed anything. Pure.
import { canonicalJson } from '../../../lib/json.js';
import { asJson } from '../../as-json.js';
/** @returns whether two values are the same as JSON */
export function same(one, other) {
    return canonicalJson(asJson({ value: one })) === canonicalJson(asJson({ value: other }));
}
/** @param answer the outputs of the late delivery; undefined when it has none */
export function isChangedBy(answer, { own, newest }) {
    if (answer === undefined || same(own, newest))
        return 'unknown';
    if (same(answer, newest))
        return false;
    return same(answer, own) ? true : 'unknown';
}
