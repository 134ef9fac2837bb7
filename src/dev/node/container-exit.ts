// Maps the exit of a process to the exit of a container, and computes when the container may restart. Pure.
import { constants } from 'node:os';
import type { ChildEnd } from '../processes.ts';
import { kubeTime, type Terminated } from './pod.ts';

export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
  /** A run of this length resets the crash count. */
  readonly steadyMs: number;
}

// KEP-4603, ReduceDefaultCrashLoopBackOffDecay: authors of providers should see a crash loop after seconds.
export const defaultBackoff: Backoff = { baseMs: 1_000, capMs: 60_000, steadyMs: 600_000 };

/** The first restart is immediate, as with a kubelet; then 1 s, doubled up to 60 s. */
export function restartDelayMs(crashes: number, { baseMs, capMs }: Backoff): number {
  return crashes <= 1 ? 0 : Math.min(capMs, baseMs * 2 ** Math.min(crashes - 2, 20));
}

export function terminatedBy(
  end: ChildEnd,
  run: { startedAt: string; finishedAt: Date; containerID: string; message: string },
): Terminated {
  const { startedAt, containerID } = run;
  const exitCode = exitCodeOf(end);
  const message = end.error?.message ?? run.message;
  return {
    exitCode,
    reason: exitReason(end, exitCode),
    ...(message !== '' && { message }),
    startedAt,
    finishedAt: kubeTime(run.finishedAt),
    containerID,
  };
}

function exitCodeOf({ code, signal, error }: ChildEnd): number {
  if (error !== undefined) return 128;
  return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
}

function exitReason({ error }: ChildEnd, exitCode: number): string {
  if (error !== undefined) return 'StartError';
  return exitCode === 0 ? 'Completed' : 'Error';
}

/** Reports a run that was in progress when the node itself ended. */
export function lostRun(startedAt: string, containerID: string | undefined, now: Date): Terminated {
  return {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The local node stopped while the container was running',
    startedAt,
    finishedAt: kubeTime(now),
    ...(containerID !== undefined && { containerID }),
  };
}
