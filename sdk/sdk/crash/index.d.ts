import type { HandlerLog } from '../call.js';
import { type Reply } from '../serve/reply.js';
export interface CrashesOptions {
    /** Places in errors are shown relative to it. */
    readonly codeFolder: string;
    /** The time for other handlers after a crash, in milliseconds. */
    readonly graceMs: number;
    /** Sends the answers that are ready, and closes every connection after this time. */
    readonly close: (graceMs: number) => Promise<void>;
}
/** One handler that begins. */
export interface CrashSubject {
    /** `provider/type/name` */
    readonly resource: string;
    readonly log: HandlerLog;
}
export interface Crashes {
    /** True from a crash of any handler of this process on. */
    readonly isEnding: () => boolean;
    /**
     * Runs a handler. When its code ends the process, then or later, the reply is sent at once.
     * @throws Refusal while the process ends
     */
    run<Answer>(subject: CrashSubject, handler: () => Promise<Answer>): Promise<Answer | Reply>;
    /** Stops watching. */
    stop(): void;
}
/** Watches the process until `stop`: handlers of `run` no longer end it alone. */
export declare function watchCrashes({ codeFolder, graceMs, close }: CrashesOptions): Crashes;
