// Counts the processes in pods that ended without an event to blame, as by a timer that `start` set: no answer of an event shows them, so
// each answer of a pod has their number.
import type { Key } from '../../kube/api.ts';
import type { Pod } from '../workloads.ts';
import { restartsOf } from './process-ends.ts';

interface PodReport {
  readonly provider: Key;
  /** Undefined: the pod is gone, and so is what it had counted. */
  readonly pod: Pod | undefined;
  /** All such ends since the start of its container. */
  readonly count: number;
}

/** More than there are pods. */
const maxContainers = 20_000;

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
    // A container that was restarted counts from 0.
    const container = `${pod.metadata.uid}/${restartsOf(pod)}`;
    const before = counts.get(container) ?? 0;
    counts.delete(container);
    // Answers of one container may arrive in another order.
    counts.set(container, Math.max(before, count));
    const [oldest] = counts.keys();
    if (counts.size > maxContainers && oldest !== undefined) counts.delete(oldest);
    if (count > before) onEnds(provider, count - before);
  };
}
