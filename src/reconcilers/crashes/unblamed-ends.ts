// Counts the processes in pods that ended without an event to blame, as by a timer that `start` set: no answer of an event shows them, so
// each answer of a pod has their number.
import type { Key } from '../../kube/api.ts';

interface PodReport {
  readonly provider: Key;
  /** Undefined: the pod is gone, and so is what it had counted. */
  readonly pod: string | undefined;
  /** All such ends since the start of the pod. */
  readonly count: number;
}

/** More than there are pods. */
const maxPods = 20_000;

/**
 * @param onEnds receives how many there were since the last report
 * @returns what receives the reports of pods; a controller that has just begun counts all of a pod
 */
export function createUnblamedEnds(
  onEnds: (provider: Key, ends: number) => void,
): (report: PodReport) => void {
  const counts = new Map<string, number>();
  return ({ provider, pod, count }) => {
    if (pod === undefined) return;
    const before = counts.get(pod) ?? 0;
    counts.delete(pod);
    counts.set(pod, count);
    const [oldest] = counts.keys();
    if (counts.size > maxPods && oldest !== undefined) counts.delete(oldest);
    // A container that was restarted counts from 0.
    const ends = count < before ? count : count - before;
    if (ends > 0) onEnds(provider, ends);
  };
}
