// Detects that the process of a provider has ended while events were in it: their connections are lost first, and the status of the pod
// says so a moment later. All events that were in the process together get to know each other by it.
import { type Informer, type Key, keyFor } from '../../kube/api.ts';
import { pause, systemTimers, type Timers } from '../../kube/timers.ts';
import type { ContainerStatus, Pod, Terminated } from '../workloads.ts';

/** How the process ended that a delivery was sent to. */
export interface ProcessEnd {
  /** Undefined when the pod is gone with it. */
  readonly terminated: Terminated | undefined;
  /** Number of other deliveries that were in the process. */
  readonly others: number;
  /** Kubernetes or Fairlead ended the pod, for example in a rollout: no event is to blame. */
  readonly isPlanned: boolean;
}

/** One delivery to one process. */
interface Presence {
  /**
   * Call it when the connection is lost, before `leave`.
   * @returns how the process ended; undefined when nothing shows in time that it did
   */
  lost(signal: AbortSignal): Promise<ProcessEnd | undefined>;
  leave(): void;
}

export interface ProcessEnds {
  /** @param pod undefined for a provider that Fairlead does not run, whose process nobody sees */
  enter(pod: Pod | undefined): Presence;
  /** Call it for each change of a pod. */
  changed(pod: Key): void;
}

/** A kubelet reports the end of a container after one to two seconds, and after more under load. */
const defaultPatienceMs = 10_000;

interface ProcessEndOptions {
  readonly pods: Pick<Informer<Pod>, 'get'>;
  readonly timers?: Timers;
  readonly patienceMs?: number;
}

interface ProviderProcess {
  readonly name: string;
  readonly pod: Key;
  readonly uid: string | undefined;
  readonly restarts: number;
  /** Deliveries that are in it. */
  present: number;
  /** Deliveries that were in it when the first connection was lost. */
  lost: number | undefined;
}

const nowhere: Presence = {
  lost: () => Promise.resolve(undefined),
  leave: () => undefined,
};

export function createProcessEnds({
  pods,
  timers = systemTimers,
  patienceMs = defaultPatienceMs,
}: ProcessEndOptions): ProcessEnds {
  const processes = new Map<string, ProviderProcess>();
  const waiting = new Map<Key, Set<() => void>>();

  async function untilChanged(pod: Key, signal: AbortSignal): Promise<void> {
    const changed = new AbortController();
    const wakes = waiting.get(pod) ?? new Set();
    const wake = () => changed.abort();
    waiting.set(pod, wakes.add(wake));
    await pause(timers, patienceMs, AbortSignal.any([signal, changed.signal]));
    wakes.delete(wake);
    if (wakes.size === 0) waiting.delete(pod);
  }

  async function endOf(process: ProviderProcess, signal: AbortSignal) {
    const late = new AbortController();
    const cancel = timers.after(patienceMs, () => late.abort());
    const until = AbortSignal.any([signal, late.signal]);
    try {
      for (;;) {
        const end = endIn(pods.get(process.pod), process);
        if (end !== undefined || until.aborted) return end;
        await untilChanged(process.pod, until);
      }
    } finally {
      cancel();
    }
  }

  return {
    enter(pod) {
      if (pod === undefined) return nowhere;
      const { uid = '' } = pod.metadata;
      const restarts = restartsOf(pod);
      const name = `${uid}/${restarts}`;
      const process: ProviderProcess = processes.get(name) ?? {
        name,
        pod: keyFor(pod.metadata),
        uid,
        restarts,
        present: 0,
        lost: undefined,
      };
      processes.set(name, process);
      process.present += 1;
      return {
        async lost(signal) {
          process.lost ??= process.present;
          const end = await endOf(process, signal);
          return end && { ...end, others: process.lost - 1 };
        },
        leave() {
          process.present -= 1;
          if (process.present === 0) processes.delete(name);
        },
      };
    },
    changed(pod) {
      for (const wake of waiting.get(pod) ?? []) wake();
    },
  };
}

function endIn(
  pod: Pod | undefined,
  { uid, restarts }: ProviderProcess,
): Omit<ProcessEnd, 'others'> | undefined {
  if (pod === undefined || pod.metadata.uid !== uid) {
    return { terminated: undefined, isPlanned: true };
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    return { terminated: undefined, isPlanned: true };
  }
  const { state, lastState } = containerOf(pod) ?? {};
  const hasRestarted = restartsOf(pod) > restarts;
  if (!hasRestarted && state?.running !== undefined) return undefined;
  const terminated =
    state?.terminated ?? (hasRestarted || state?.waiting ? lastState?.terminated : undefined);
  const hasEnded = terminated !== undefined || hasRestarted || isPodOver(pod);
  return hasEnded ? { terminated, isPlanned: false } : undefined;
}

function isPodOver({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** @returns how often the container of a pod has been restarted */
export function restartsOf(pod: Pod): number {
  return containerOf(pod)?.restartCount ?? 0;
}

/** Pods of providers have one container. */
function containerOf({ status }: Pod): ContainerStatus | undefined {
  return status?.containerStatuses?.[0];
}
