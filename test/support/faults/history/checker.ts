// Checks recorded histories of fault tests: a pure function from history to violations. It shares no code with the service
// but the meaning of stored objects.
import type { JsonObject } from '../../../../src/lib/json.ts';
import { checkCalls } from './check-calls.ts';
import { checkDeliveries, checkSequences } from './check-deliveries.ts';
import { checkEndings, checkQuiet, checkSameEnd } from './check-endings.ts';
import { checkLifecycle } from './check-lifecycle.ts';
import type { History, Violation } from './model.ts';

/**
 * @param history complete: nothing is under way any more
 * @param clean the end state of an undisturbed run of the same work, if this one is to be compared
 * @returns every broken promise; empty when all were kept
 */
export function checkHistory(history: History, clean?: JsonObject): readonly Violation[] {
  return [
    ...checkCalls(history),
    ...checkEndings(history),
    ...checkDeliveries(history),
    ...checkSequences(history),
    ...checkLifecycle(history),
    ...checkQuiet(history),
    ...(clean === undefined ? [] : checkSameEnd(history, clean)),
  ];
}
