import { type EventBody, type FailedBody, type LaterBody, type ObservedBody, type SucceededBody } from '../../domain/event.js';
import { type TemporaryFailure } from '../outcome.js';
import type { ResourceType } from '../provider.js';
export interface ReplyTo<Body> {
    readonly status: number;
    readonly body: Body;
    /** Seconds, for the header Retry-After. */
    readonly retryAfter?: number;
}
/** To an event. */
export type Reply = ReplyTo<SucceededBody | ObservedBody | LaterBody | FailedBody>;
/** @param returned what the handler returned */
export declare function replyFrom(type: ResourceType, event: EventBody, returned: unknown): Reply;
/** Where nobody declares versions, the answer has none. */
export declare function answeredVersion(type: ResourceType, { schema_version }: EventBody): {
    outputs_schema_version?: number;
};
/** The reply to an event whose handler ended the process. */
export declare function crashed(message: string): Reply;
/** The reply to an event that is to be sent again after a wait. */
export declare function waitReply({ code, seconds, scope }: TemporaryFailure, message: string): Reply;
export declare function failure(status: number, code: string, message: string): Reply & {
    readonly body: FailedBody;
};
