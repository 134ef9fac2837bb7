// Keeps the last lines that a handler logs: the failure of its event carries them, because the log of a pod ends with it.
import { maximumLogBytes, maximumLogLineBytes, maximumLogLines } from '../domain/event.ts';
import { describe } from './crash/describe.ts';
import type { HandlerLog } from './define.ts';
import { jsonOf } from './log.ts';
import type { Reply } from './run.ts';

export interface KeptLines {
  /** Writes to the log that was given, and keeps the line. */
  readonly log: HandlerLog;
  /** @returns the reply, with the lines when it is a failure */
  addTo(reply: Reply): Reply;
}

type Fields = Readonly<Record<string, unknown>>;

/** @param codeFolder places in errors are shown relative to it, and without their stack: users read the lines */
export function keepLines(log: HandlerLog, codeFolder: string): KeptLines {
  const lines: string[] = [];
  let bytes = 0;

  function keep(level: string, message: string, fields: Fields | undefined): void {
    const shown = `${new Date().toISOString()} ${level} ${message}${textOf(fields, codeFolder)}`;
    const line = cut(shown.replace(/\s+/g, ' '));
    lines.push(line);
    bytes += Buffer.byteLength(line);
    while (lines.length > maximumLogLines || bytes > maximumLogBytes) {
      bytes -= Buffer.byteLength(lines.shift() ?? '');
    }
  }

  const kept = (level: keyof HandlerLog) => (message: string, fields?: Fields) => {
    keep(level, message, fields);
    log[level](message, fields);
  };

  return {
    log: { debug: kept('debug'), info: kept('info'), warn: kept('warn'), error: kept('error') },
    addTo({ status, body }) {
      const isFailure = 'error' in body && lines.length > 0;
      return { status, body: isFailure ? { ...body, log: [...lines] } : body };
    },
  };
}

/** Fairlead masks the beginning of a secret before an ellipsis. */
function cut(line: string): string {
  return line.length > maximumLogLineBytes ? `${line.slice(0, maximumLogLineBytes - 1)}…` : line;
}

function textOf(fields: Fields | undefined, codeFolder: string): string {
  const members = Object.entries(fields ?? {});
  if (members.length === 0) return '';
  const shown = members.map(([name, value]) => [
    name,
    value instanceof Error ? describe(value, codeFolder).message : value,
  ]);
  return ` ${jsonOf(Object.fromEntries(shown) as Fields)}`;
}
