import type { EventBody } from '../../domain/event.js';
import type { JsonObject } from '../../lib/json.js';
import type { AnyObject, HandlerLog } from '../call.js';
import type { Provider } from '../provider.js';
export type Ending = {
    readonly kind: 'succeeded';
    readonly outputs: JsonObject;
} | {
    readonly kind: 'failed';
    /** Fairlead would not retry. */
    readonly terminal: boolean;
    readonly code: string;
    readonly message: string;
    /** The thrown error with its stack. */
    readonly thrown?: unknown;
} | {
    readonly kind: 'unanswered';
    readonly afterMs: number;
};
export interface Delivery {
    /** Time limit of one event, including `later`. */
    readonly timeoutMs: number;
    /** Longest pause before the next call, regardless of the requested delay. */
    readonly maximumDelayMs: number;
    readonly log: HandlerLog;
    readonly settings: AnyObject;
    /** @returns the `sequence` of the next call of a handler */
    readonly nextSequence: () => number;
    /** Aborts the handler's signal. */
    readonly signal?: AbortSignal;
}
/** Repeats the delivery with the same key while the handler returns `later`. */
export declare function deliver(provider: Provider, event: Omit<EventBody, 'sequence'>, { timeoutMs, maximumDelayMs, log, settings, nextSequence, signal }: Delivery): Promise<Ending>;
