import type { EventBody } from '../../domain/event.js';
import type { Provider } from '../provider.js';
import { type Ending, type Handling } from './step.js';
export interface Delivery extends Omit<Handling, 'signal'> {
    /** Time limit of one event, including `later`. */
    readonly timeoutMs: number;
    /** Longest pause before the next call, regardless of the requested delay. */
    readonly maximumDelayMs: number;
    /** @returns the `sequence` of the next call of a handler, unless the event has one */
    readonly nextSequence: () => number;
    /** Aborts the handler's signal. */
    readonly signal?: AbortSignal;
    /** True: another call that the handler asks for is not made. */
    readonly once?: boolean;
}
/** An event; with a `sequence` only if it is a late delivery of an earlier one. */
export type SentEvent = Omit<EventBody, 'sequence'> & {
    readonly sequence?: number;
};
/** Repeats the delivery with the same key while the handler returns `later`. */
export declare function deliver(provider: Provider, event: SentEvent, { timeoutMs, maximumDelayMs, nextSequence, signal, once, ...handling }: Delivery): Promise<Ending>;
