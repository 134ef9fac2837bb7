// `progress` of a handler's argument: what it reports is validated, and passed on. It never fails a handler in production.
import {
  maxProgressMessageLength,
  type Progress,
  parseProgress,
} from '../domain/progress/value.ts';
import type { SecretMask } from '../domain/secrets/mask-text.ts';
import { truncate } from '../lib/text.ts';
import { isLater } from './outcome.ts';

/** Receives what a handler reports. */
export interface ProgressReceiver {
  accept(progress: Progress): void;
  /** @param problem a sentence about what does not fit */
  refuse(problem: string): void;
}

/** For tests of handlers: nothing is shown, and a mistake is an error. */
export const noProgress: ProgressReceiver = {
  accept() {},
  refuse(problem) {
    throw new RangeError(problem);
  },
};

/** @returns the function that a handler calls */
export function reporterTo({ accept, refuse } = noProgress): (progress: Progress) => void {
  return (given) => {
    const progress = parseProgress(given);
    if ('problem' in progress) refuse(`progress: ${progress.problem}`);
    else accept(progress);
  };
}

/** @returns what a handler returned; a `later` has its progress as it is sent, and none that does not fit */
export function withProgress(returned: unknown, { refuse } = noProgress): unknown {
  if (!isLater(returned) || returned.progress === undefined) return returned;
  const parsed = parseProgress(returned.progress);
  const problem = 'problem' in parsed ? parsed.problem : undefined;
  if (problem !== undefined) refuse(`progress of later: ${problem}`);
  return { ...returned, progress: problem === undefined ? parsed : undefined };
}

/** Logs the first mistake of a call: a loop would repeat it thousands of times. */
export function warningOnce(warn: (message: string) => void): ProgressReceiver['refuse'] {
  let isWarned = false;
  return (problem) => {
    if (isWarned) return;
    isWarned = true;
    try {
      warn(`The report of the handler is not shown: ${problem}`);
    } catch {
      // A failing log of the provider must not fail the handler.
    }
  };
}

/** @returns the progress without secrets in its message, which may make it longer */
export function maskedProgress(progress: Progress, mask: SecretMask): Progress {
  if (progress.message === undefined) return progress;
  const message = truncate(mask.text(progress.message), maxProgressMessageLength);
  return { ...progress, message };
}
