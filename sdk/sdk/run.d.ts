import { type EventBody, type FailedBody, type LaterBody, type SucceededBody } from '../domain/event.js';
import type { AnyObject, HandlerLog } from './call.js';
import type { Provider } from './provider.js';
export interface Reply {
    readonly status: number;
    readonly body: SucceededBody | LaterBody | FailedBody;
}
/** What a handler receives besides the event. */
interface Surroundings {
    readonly signal: AbortSignal;
    readonly log: HandlerLog;
    /** Users read errors: places in them are shown relative to it. */
    readonly codeFolder?: string;
    /** Parsed; an empty object when absent. */
    readonly settings?: AnyObject;
    /** null when absent. */
    readonly traceparent?: string | undefined;
}
/** @returns the response of the protocol; never throws */
export declare function runEvent(provider: Provider, event: EventBody, surroundings: Surroundings): Promise<Reply>;
/** The reply to an event whose handler ended the process. */
export declare function crashed(message: string): Reply;
export {};
