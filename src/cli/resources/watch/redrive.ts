// Follows the retry of dead letters until it has ended, and shows a line for each cause.
import type { Redrive } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Api } from '../../session/api/client.ts';
import { abortablePause } from '../../session/api/retry.ts';
import { type Invocation, startProgress } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Progress } from '../../terminal/progress.ts';

const pollMs = 1_000;

export interface RedriveFilter {
  readonly provider?: string;
  readonly cause?: string;
}

/** @throws CliError when causes failed again, or the time is up */
export async function followRedrive(
  invocation: Invocation,
  api: Api,
  filter: RedriveFilter,
): Promise<void> {
  const { signal, timeoutMs = Infinity } = invocation;
  const startedAt = performance.now();
  const progress = startProgress(invocation);
  const seen = new Map<string, ProgressCause>();
  try {
    for (;;) {
      const redrive = await api.call('getRedrive', {});
      const causes = redrive.causes.filter((each) => isInFilter(each, filter));
      showCauses(causes, { seen, progress });
      if (redrive.state !== 'running') return requireNoneHeld(causes);
      if (performance.now() - startedAt > timeoutMs) throw late(redrive);
      await abortablePause(pollMs, signal);
    }
  } finally {
    progress.stop();
  }
}

type ProgressCause = Redrive['causes'][number];

function showCauses(
  causes: readonly ProgressCause[],
  { seen, progress }: { seen: Map<string, ProgressCause>; progress: Progress },
): void {
  for (const each of causes) {
    seen.set(each.cause, each);
    progress.set(each.cause, causeRow(each));
  }
  for (const [cause, { provider }] of seen) {
    if (causes.some((each) => each.cause === cause)) continue;
    progress.set(cause, { state: 'done', label: `${provider} ${cause}`, isDone: true });
  }
}

function isInFilter(
  each: Pick<ProgressCause, 'provider' | 'cause'>,
  { provider, cause }: RedriveFilter,
): boolean {
  return (provider ?? each.provider) === each.provider && (cause ?? each.cause) === each.cause;
}

const words = {
  waiting: 'waiting',
  trying: 'processing',
  open: 'processing',
  held: 'failed',
} as const;

function causeRow({ provider, cause, state, count }: ProgressCause) {
  return {
    state: words[state],
    label: `${provider} ${cause}`,
    cells: [`${count} left`],
    detail: state === 'trying' ? 'the first event was sent alone, and its handler works' : '',
    isDone: state === 'held',
  };
}

function requireNoneHeld(causes: readonly ProgressCause[]): void {
  const held = causes.filter(({ state }) => state === 'held');
  const [first] = held;
  if (first === undefined) return;
  const count = held.reduce((sum, each) => sum + each.count, 0);
  const stay = count === 1 ? 'stays, because its' : 'stay, because their';
  throw new CliError(`${counted(count, 'event')} ${stay} cause failed again.`, {
    exit: ExitCode.failed,
    facts: held.map(({ provider, cause, count: left }) => [
      provider,
      cause,
      counted(left, 'event'),
    ]),
    next: shell`fairlead dead-letters list --cause ${first.cause}`,
  });
}

function late({ left }: Redrive): CliError {
  const were = left === 1 ? 'was' : 'were';
  return new CliError(
    `${counted(left, 'event')} ${were} still to be retried when the time was up.`,
    {
      exit: ExitCode.timedOut,
      next: 'It continues on the server.  What is left: fairlead dead-letters',
    },
  );
}
