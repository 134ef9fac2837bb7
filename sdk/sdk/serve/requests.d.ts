import { type CheckBody, type ListBody, type MigrateBody } from '../../domain/event.js';
import type { AnyObject, HandlerLog } from '../call.js';
import type { Provider } from '../provider.js';
import { type ReplyTo } from './reply.js';
export type RequestBody = MigrateBody | CheckBody | ListBody;
export interface RequestSurroundings {
    /** The settings in force, as people gave them. */
    readonly given: AnyObject;
    /** The same, parsed. */
    readonly settings: AnyObject;
    /** The result of `start` of the provider. */
    readonly started: AnyObject;
    readonly log: HandlerLog;
    readonly signal: AbortSignal;
    readonly codeFolder: string;
}
export declare function isRequest(body: {
    readonly event_type: string;
}): body is RequestBody;
/** @returns the response of the protocol; never throws */
export declare function answerRequest(provider: Provider, body: RequestBody, surroundings: RequestSurroundings): Promise<ReplyTo<object>>;
