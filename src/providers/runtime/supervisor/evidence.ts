// The answer to an event that has ended its process without one: what is known about the end.
import { constants } from 'node:os';
import { lastLines } from '../../../domain/process-end/last-lines.ts';
import { crashSentence } from '../../../domain/process-end/sentence.ts';
import { placeIn, withoutFolder } from '../../../sdk/crash/describe.ts';
import { crashed } from '../../../sdk/serve/reply.ts';
import type { ChildAnswer } from '../messages.ts';
import type { BlockedCode } from './blocked.ts';
import type { ProcessEnd } from './child-process.ts';

export interface Evidence extends ProcessEnd {
  /** The end of what the process has printed. */
  readonly printed: string;
  /** Why the supervisor killed it. */
  readonly killed?: string | undefined;
  readonly blocked?: BlockedCode | undefined;
  /** The folder of the code, without symbolic links. */
  readonly codeFolder: string;
}

export function culpritAnswer(evidence: Evidence, eventId: string): ChildAnswer {
  const { blocked, codeFolder } = evidence;
  const ended = endedContainer(evidence);
  if (blocked === undefined) {
    const message = evidence.killed ?? crashSentence(ended, 'during this attempt');
    return answerWith(message, lastLines(ended, eventId));
  }
  const own = blocked.frames.filter((frame) => frame.includes(codeFolder));
  const shown = own.map((frame) => withoutFolder(frame, codeFolder));
  return answerWith(`${evidence.killed}${placeIn(blocked.frames, codeFolder)}`, [
    ...lastLines(ended, eventId).filter((line) => !ofInspector.test(line)),
    ...shown,
  ]);
}

const ofInspector = /^(?:Debugger (?:listening on|attached)|For help, see: https:\/\/nodejs\.org)/;

/** @returns the end of a process in one sentence, for the log */
export function endSentence(evidence: Evidence): string {
  return evidence.killed ?? crashSentence(endedContainer(evidence));
}

function answerWith(message: string, log: readonly string[]): ChildAnswer {
  const { status, body } = crashed(message);
  return { status, body: JSON.stringify(log.length === 0 ? body : { ...body, log }) };
}

/** As Kubernetes reports the end of a container, whose code is always in the same folder. */
function endedContainer({ code, signal, printed, codeFolder }: Evidence) {
  const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
  return { exitCode, message: printed.replaceAll(`${codeFolder}/`, '/workspace/code/') };
}
