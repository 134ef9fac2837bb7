import type { EventBody } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import type { HandlerLog, Provider } from '../define.js';
export type Ending = {
    readonly kind: 'succeeded';
    readonly outputs: JsonObject;
} | {
    readonly kind: 'failed';
    /** Fairlead would not try again. */
    readonly terminal: boolean;
    readonly code: string;
    readonly message: string;
    /** What the handler threw, with its stack. */
    readonly thrown?: unknown;
} | {
    readonly kind: 'unanswered';
    readonly afterMs: number;
};
export interface Delivery {
    /** All that one event may take, `later` included. */
    readonly timeoutMs: number;
    /** Longest pause before asking again, whatever the handler wished for. */
    readonly maximumDelayMs: number;
    readonly log: HandlerLog;
    /** @returns the `sequence` of the next call of a handler */
    readonly nextSequence: () => number;
    /** Aborts the handler's signal. */
    readonly signal?: AbortSignal;
}
/** Delivers an event as often as its handler says `later`, with the same key. */
export declare function deliver(provider: Provider, event: Omit<EventBody, 'sequence'>, { timeoutMs, maximumDelayMs, log, nextSequence, signal }: Delivery): Promise<Ending>;
