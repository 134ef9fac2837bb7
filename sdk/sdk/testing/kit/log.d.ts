import type { HandlerLog } from '../../call.js';
export interface LogLine {
    readonly level: keyof HandlerLog;
    readonly message: string;
    readonly fields: Readonly<Record<string, unknown>>;
}
/** @returns a log that passes lines on, after it has shown them to `onLine` */
export declare function recordingLog(log: HandlerLog, onLine: (line: LogLine) => void): HandlerLog;
