import type { EventBody } from '../../domain/event.js';
import type { AnyObject, HandlerLog } from '../call.js';
import { type ProgressReceiver } from '../progress.js';
import type { Provider } from '../provider.js';
import { type Reply } from './reply.js';
/** The values that a handler receives besides the event. */
interface ServeSurroundings {
    readonly signal: AbortSignal;
    readonly log: HandlerLog;
    /** Users read errors: places in them are shown relative to it. */
    readonly codeFolder?: string;
    /** Parsed; an empty object when absent. */
    readonly settings?: AnyObject;
    /** The result of `start` of the provider. */
    readonly started?: AnyObject;
    /** null when absent. */
    readonly traceparent?: string | undefined;
    /** Receives what the handler reports; when absent, a mistake is an error. */
    readonly progress?: ProgressReceiver;
}
/** @returns the response of the protocol; never throws */
export declare function runEvent(provider: Provider, event: EventBody, surroundings: ServeSurroundings): Promise<Reply>;
export {};
