import type { EventBody, ObservedBody } from '../../domain/event.js';
import type { JsonObject } from '../../lib/json.js';
import type { Life } from './life.js';
/** The values that were recorded with the last success. */
export interface Recorded {
    readonly config: JsonObject;
    readonly outputs: JsonObject;
}
export type Existing = Extract<ObservedBody, {
    exists: true;
}>;
export declare function observationOf({ config, outputs }: Recorded): Partial<EventBody>;
/**
 * Expects that a resource exists as declared, in two observations that are the same.
 * @returns what exists; undefined when the type has no handler `observe`, or nothing was observed
 */
export declare function expectDeclared(life: Life, step: string, recorded: Recorded): Promise<Existing | undefined>;
/** After a change: an observation whose event has the config of before shows what exists now. */
export declare function expectRead(life: Life, now: Existing, before: Recorded): Promise<void>;
/** A handler that could not read has not seen that nothing exists. */
export declare function expectNotGone(life: Life, recorded: Recorded): Promise<void>;
/** @param event what differs from an observation of the resource */
export declare function expectGone(life: Life, step: string, event: Partial<EventBody> & Recorded): Promise<void>;
