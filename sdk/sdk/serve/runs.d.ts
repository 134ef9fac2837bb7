import type { ServerResponse } from 'node:http';
import type { EventBody } from '../../domain/event.js';
import type { Progress } from '../../domain/progress/value.js';
import type { Reply } from './reply.js';
export interface ReceivedDelivery {
    readonly event: EventBody;
    readonly traceparent: string | undefined;
}
export interface RunsOptions {
    /** Calls the handler. @param report receives its progress */
    readonly start: (delivery: ReceivedDelivery, signal: AbortSignal, report: SignsOfLife['report']) => Promise<Reply>;
    /** The longest time of a handler, in milliseconds. */
    readonly limitOf: (event: EventBody) => number;
    /** Milliseconds between two signs of life. */
    readonly heartbeatMs: number;
}
export interface Runs {
    /**
     * Runs the handler of an event for a connection. An event that arrives again while its handler runs for an open connection gets
     * the same answer. Without an open connection, the signal of the handler is aborted, and the event starts again once it has
     * ended.
     */
    join(delivery: ReceivedDelivery, res: ServerResponse): Promise<Reply>;
    /** Aborts the signal of the handler that runs for an event. @returns false when there is none */
    cancel(event: string, reason: Error): boolean;
}
export declare function createRuns({ start, limitOf, heartbeatMs }: RunsOptions): Runs;
interface SignsOfLife {
    /** Begins to send to a connection. @returns a function that ends it */
    sendTo(res: ServerResponse): () => void;
    /** Sends progress: at most once a second, and the last one always while the handler runs. */
    report(progress: Progress): void;
}
export {};
