// Keeps the last lines that a handler logs and prints: the failure of its event carries them, because the log of a pod ends with it.
// The secrets of the event are hidden in what is written, and in what is kept.
import { maxLogBytes, maxLogLineBytes, maxLogLines } from '../../domain/event.ts';
import type { HandlerLog } from '../call.ts';
import { describe, shownFrame } from '../crash/describe.ts';
import { maskedReply, type Reply } from '../serve/reply.ts';
import type { ContextMask } from './context-mask.ts';
import { entryJson, maskedLog } from './log.ts';
import { maskedOutput, recorded, release, type StreamName, unrecorded } from './printed.ts';

export interface KeptLines {
  /** Writes to the log that was given, and keeps the line. */
  readonly log: HandlerLog;
  /** Runs the handler, and keeps the lines that it prints. */
  run<T>(handler: () => T): T;
  /** Ends the record. @returns the reply without secrets in its message, and with the lines when it is a failure */
  addTo(reply: Reply): Reply;
}

type KeptLineFields = Readonly<Record<string, unknown>>;

export interface KeepLinesOptions {
  readonly mask: ContextMask;
  /** Places in errors are shown relative to it, and without their stack: users read the lines. */
  readonly codeFolder: string;
}

export function keepLines(log: HandlerLog, { mask, codeFolder }: KeepLinesOptions): KeptLines {
  const lines: string[] = [];
  /** Printed text without its line break so far. */
  const begun = new Map<StreamName, string>();
  let bytes = 0;
  let isOver = false;
  const masked = maskedOutput(mask);

  function keep(given: string): void {
    if (isOver) return;
    const line = mask.text(given);
    lines.push(line);
    bytes += Buffer.byteLength(line);
    while (lines.length > maxLogLines || bytes > maxLogBytes) {
      bytes -= Buffer.byteLength(lines.shift() ?? '');
    }
  }

  function keepPrinted(text: string): void {
    const { kept, ellipsis } = parted(withoutBreaks(text));
    // The folder goes after the cut: a line that was cut must end with the ellipsis.
    const line = shownFrame(kept, codeFolder)?.trimEnd() ?? '';
    if (line !== '') keep(line + ellipsis);
  }

  function print(text: string, stream: StreamName): void {
    if (isOver) return;
    const printed = ((begun.get(stream) ?? '') + text).split('\n');
    const rest = withoutBreaks(printed.pop() ?? '');
    for (const line of printed) keepPrinted(line);
    // Text without an end is bounded, too; one character more shows that it must be cut.
    begun.set(stream, rest.slice(0, maxLogLineBytes + 1));
  }

  const kept = (level: keyof HandlerLog) => (message: string, fields?: KeptLineFields) => {
    const shown = `${new Date().toISOString()} ${level} ${message}${fieldsText(fields, codeFolder)}`;
    const { kept, ellipsis } = parted(withoutBreaks(shown));
    keep(kept + ellipsis);
    // A log usually prints: each line is kept once.
    unrecorded(() => log[level](message, fields));
  };

  const lineLog = {
    debug: kept('debug'),
    info: kept('info'),
    warn: kept('warn'),
    error: kept('error'),
  };
  return {
    log: maskedLog(lineLog, mask),
    run: (handler) => recorded({ recorder: print, masked }, handler),
    addTo(given) {
      const reply = maskedReply(given, mask);
      const { body } = reply;
      masked.end();
      release(masked, print);
      for (const rest of begun.values()) keepPrinted(rest);
      isOver = true;
      if ('outputs' in body) mask.add({ outputs: body.outputs });
      const isFailure = 'error' in body && lines.length > 0;
      return isFailure ? { ...reply, body: { ...body, log: [...lines] } } : reply;
    },
  };
}

function withoutBreaks(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Fairlead masks the beginning of a secret before an ellipsis. */
function parted(line: string): { readonly kept: string; readonly ellipsis: '' | '…' } {
  return line.length > maxLogLineBytes
    ? { kept: line.slice(0, maxLogLineBytes - 1), ellipsis: '…' }
    : { kept: line, ellipsis: '' };
}

function fieldsText(fields: KeptLineFields | undefined, codeFolder: string): string {
  const members = Object.entries(fields ?? {});
  if (members.length === 0) return '';
  const shown = members.map(([name, value]) => [
    name,
    value instanceof Error ? describe(value, codeFolder).message : value,
  ]);
  return ` ${entryJson(Object.fromEntries(shown) as KeptLineFields)}`;
}
