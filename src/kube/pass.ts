// One pass of a reconciler over a key, and what its outcome or failure means for the queue.
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { runBackgroundWork } from '../lib/turns.ts';
import type { Key, Outcome, Reconciler, Stall } from './api.ts';
import { hasReason } from './errors.ts';
import type { Workqueue } from './queue/workqueue.ts';
import { createRepeats, type Repeats } from './stall.ts';
import { countingWrites } from './writes.ts';

/**
 * How a pass ended: the outcome of the reconciler, or `stale` (lost to a newer version), `failed` or `aborted` by a throw, or
 * `unchanged`: it requested another pass at once, and wrote nothing.
 */
export type PassEnding = Outcome['kind'] | 'unchanged' | 'stale' | 'failed' | 'aborted';

interface PassOptions {
  readonly reconciler: Reconciler;
  readonly queue: Workqueue;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the controller stops: later failures are none. */
  readonly stopping: AbortSignal;
  /** Aborted when running passes must end. */
  readonly cancelling: AbortSignal;
}

interface Passes extends PassOptions {
  readonly repeats: Repeats;
}

/** This many lost races in a row are no coincidence. */
const quietLosses = 5;

/** Reasons that resolve without intervention. */
const passing = ['unavailable', 'timeout', 'tooManyRequests', 'aborted', 'gone'] as const;

/** @returns a function that runs one pass; it never rejects */
export function createPass(options: PassOptions): (key: Key) => Promise<PassEnding> {
  const passes = { ...options, repeats: createRepeats() };
  return (key) => runPass(passes, key);
}

async function runPass(passes: Passes, key: Key): Promise<PassEnding> {
  const { reconciler, queue, repeats, cancelling } = passes;
  try {
    const { result: outcome, writes } = await countingWrites(() =>
      runBackgroundWork(() => reconciler.reconcile(key, cancelling)),
    );
    if (outcome.kind === 'waitUntil') scheduleAt(passes, key, outcome.at);
    repeats.succeeded(key);
    if (outcome.kind === 'again' && writes === 0) return slowDown(passes, key);
    queue.forget(key);
    if (outcome.kind === 'again') queue.add(key);
    return outcome.kind;
  } catch (thrown) {
    const ending = tryAgain(passes, key, thrown);
    if (ending === 'failed') await tellStalled(passes, key, repeats.failed(key, thrown));
    return ending;
  }
}

/** The next pass finds the same, but for what others change: at once, it would be repeated at the speed of the process. */
function slowDown({ reconciler, queue, log }: Passes, key: Key): PassEnding {
  const passes = queue.addRateLimited(key);
  if (isPowerOfTwo(passes) && passes > quietLosses) {
    log.warn(
      { reconciler: reconciler.name, key, passes },
      'Reconcile passes ask for another one and write nothing; they wait',
    );
  }
  return 'unchanged';
}

function scheduleAt({ queue, clock }: Passes, key: Key, at: Date): void {
  const ms = at.getTime() - clock.now().getTime();
  if (Number.isNaN(ms)) throw new RangeError('A reconciler returned an invalid date to wait for');
  queue.addAfter(key, ms);
}

function tryAgain(
  { reconciler, queue, log, stopping }: Passes,
  key: Key,
  thrown: unknown,
): PassEnding {
  // A throw after an abort is no failure.
  if (stopping.aborted) return 'aborted';
  const failures = queue.addRateLimited(key);
  // Decided on an old view. The informer delivers the new one, usually before the backoff ends.
  const stale = hasReason(thrown, 'conflict', 'alreadyExists', 'notFound');
  if (isPowerOfTwo(failures) && (!stale || failures > quietLosses)) {
    const level = stale || hasReason(thrown, ...passing) ? 'warn' : 'error';
    log[level](
      { reconciler: reconciler.name, key, failures, error: thrown },
      'A reconcile pass failed; retrying',
    );
  }
  return stale ? 'stale' : 'failed';
}

async function tellStalled(
  { reconciler, log }: Passes,
  key: Key,
  stall: Stall | undefined,
): Promise<void> {
  if (stall === undefined || reconciler.stalled === undefined) return;
  try {
    await reconciler.stalled(key, stall);
  } catch (thrown) {
    // The next failure tries to record it again; the log has it as well.
    const { name } = reconciler;
    log.debug({ reconciler: name, key, error: thrown }, 'Marking an object as stalled failed');
  }
}

/** Logs the first failure, then ever more rarely: a key that fails all day must not fill the log. */
function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
