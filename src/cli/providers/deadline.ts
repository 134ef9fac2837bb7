// Limits a wait with `--timeout`; the reason of the signal names what the command waited for.

import { elapsed } from '../../client/time.ts';
import type { Invocation } from '../session/invocation.ts';
import { withStop } from '../terminal/errors/api-error.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Sets what is waited for, such as `the build crates-20260131-120000 is building`, and what shows how it goes on. */
  waitFor(what: string, next: string): void;
}

/** @returns a signal that ends with Ctrl-C or after `--timeout`, with exit code 7 */
export function deadlineOf({ signal, timeoutMs }: Invocation): Deadline {
  let waiting = { what: 'it is not done', next: '' };
  const waitFor = (what: string, next: string) => {
    waiting = { what, next };
  };
  if (timeoutMs === undefined) return { signal, waitFor };
  const controller = new AbortController();
  const timer = setTimeout(() => {
    const { what, next } = waiting;
    controller.abort(
      new CliError(withStop(`After ${elapsed(timeoutMs)} ${what}`), {
        exit: ExitCode.timedOut,
        next,
      }),
    );
  }, timeoutMs);
  timer.unref();
  return { signal: AbortSignal.any([signal, controller.signal]), waitFor };
}
