import type { EventBody, FailedBody, LaterBody, SucceededBody } from '../domain/event.js';
import type { HandlerLog, Provider } from './define.js';
export interface Reply {
    readonly status: number;
    readonly body: SucceededBody | LaterBody | FailedBody;
}
/** @returns the response of the protocol; never throws */
export declare function runEvent(provider: Provider, event: EventBody, { signal, log }: {
    signal: AbortSignal;
    log: HandlerLog;
}): Promise<Reply>;
