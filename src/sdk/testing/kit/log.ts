// The log of the handlers of a resource, for its test.
import type { HandlerLog } from '../../call.ts';

export interface LogLine {
  readonly level: keyof HandlerLog;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @returns a log that passes lines on, after it has shown them to `onLine` */
export function recordingLog(log: HandlerLog, onLine: (line: LogLine) => void): HandlerLog {
  const write =
    (level: keyof HandlerLog): HandlerLog['info'] =>
    (message, fields = {}) => {
      onLine({ level, message, fields });
      log[level](message, fields);
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
