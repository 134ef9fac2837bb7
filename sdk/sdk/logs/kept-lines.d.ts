import type { HandlerLog } from '../call.js';
import type { Reply } from '../serve/reply.js';
export interface KeptLines {
    /** Writes to the log that was given, and keeps the line. */
    readonly log: HandlerLog;
    /** Runs the handler, and keeps the lines that it prints. */
    run<T>(handler: () => T): T;
    /** Ends the record. @returns the reply, with the lines when it is a failure */
    addTo(reply: Reply): Reply;
}
/** @param codeFolder places in errors are shown relative to it, and without their stack: users read the lines */
export declare function keepLines(log: HandlerLog, codeFolder: string): KeptLines;
