import type { HandlerLog } from '../call.js';
import { type Reply } from './reply.js';
interface ThrownReplySurroundings {
    readonly signal: AbortSignal;
    readonly log: HandlerLog;
    /** Users read errors: places in them are shown relative to it. */
    readonly codeFolder?: string;
}
/** @param logged the line for an error that is neither `fail` nor `retry` */
export declare function thrownReply(thrown: unknown, { log, signal, codeFolder }: ThrownReplySurroundings, logged: string): Reply;
export declare function warnOfWait(log: HandlerLog, seconds: number): void;
export {};
