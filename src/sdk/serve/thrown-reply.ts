// The answer of the protocol to what a handler threw, and the line about it in the log.
import { maxAskedSeconds, plainCode } from '../../domain/event.ts';
import type { HandlerLog } from '../call.ts';
import { isDeleted } from '../cancelled.ts';
import { withoutFolder } from '../crash/describe.ts';
import { ProcessExit } from '../crash/process-exit.ts';
import { thrownText } from '../failure-text.ts';
import { isTemporaryFailure, isTerminalFailure } from '../outcome.ts';
import { crashed, failure, type Reply, waitReply } from './reply.ts';

interface ThrownReplySurroundings {
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
  /** Users read errors: places in them are shown relative to it. */
  readonly codeFolder?: string;
}

/** @param logged the line for an error that is neither `fail` nor `retry` */
export function thrownReply(
  thrown: unknown,
  { log, signal, codeFolder }: ThrownReplySurroundings,
  logged: string,
): Reply {
  const shown = (text: string) => (codeFolder ? withoutFolder(text, codeFolder) : text);
  if (isTerminalFailure(thrown)) {
    warnOfCode(log, thrown.code);
    return failure(422, thrown.code, shown(thrown.message));
  }
  if (isTemporaryFailure(thrown)) {
    warnOfCode(log, thrown.code);
    warnOfWait(log, thrown.seconds);
    return waitReply(thrown, shown(thrown.message));
  }
  // The event is answered, and the end of the process is in the log.
  if (thrown instanceof ProcessExit) return crashed(thrown.message);
  if (isDeleted(signal)) return failure(500, 'cancelled', shown(thrownText(thrown)));
  quietly(() => log.error(logged, { error: thrown }));
  return failure(500, 'handler_error', shown(thrownText(thrown)));
}

function warnOfCode(log: HandlerLog, code: string): void {
  const sent = plainCode(code);
  if (sent === code) return;
  const rule = 'A code has only letters, digits, "_", "-" and "."';
  quietly(() => log.warn(`${rule}: "${code}" is recorded as "${sent}"`));
}

export function warnOfWait(log: HandlerLog, seconds: number): void {
  if (seconds <= maxAskedSeconds) return;
  const cut = `A handler asks to wait for ${seconds} s, and Fairlead waits for an hour at most`;
  quietly(() => log.warn(`${cut}; it calls the handler then`));
}

/** A failing log of the provider must not prevent the answer. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {}
}
