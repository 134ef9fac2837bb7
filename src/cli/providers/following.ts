// Follows what becomes of a build or a version, with a line for each step. `--timeout` limits the wait, and its reason names what the
// command waited for.

import { elapsed } from '../../client/time.ts';
import type { Api } from '../session/api/client.ts';
import { type Invocation, startProgress } from '../session/invocation.ts';
import { withStop } from '../terminal/errors/api-error.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Talk } from '../terminal/talk.ts';

export interface Following {
  readonly api: Api;
  readonly talk: Talk;
  readonly progress: Progress;
  readonly deadline: Deadline;
}

/** Shows the steps that `follow` reports until it ends. */
export async function withSteps<T>(
  invocation: Invocation,
  follow: (following: Following) => Promise<T>,
): Promise<T> {
  const { talk } = invocation;
  const api = await invocation.api();
  const progress = startProgress(invocation, { isSequence: true });
  try {
    return await follow({ api, talk, progress, deadline: deadlineOf(invocation) });
  } finally {
    progress.stop();
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Sets what is waited for, such as `the build crates-20260131-120000 is building`, and what shows how it goes on. */
  waitFor(what: string, next: string): void;
}

/** @returns a signal that ends with Ctrl-C or after `--timeout`, with exit code 7 */
function deadlineOf({ signal, timeoutMs }: Invocation): Deadline {
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
