// Syncs each pod of the node step by step and writes its status to the API server. It ignores the trigger: decisions depend
// only on the running containers and the pod object.
import {
  type Informer,
  type Key,
  keyFor,
  type Outcome,
  type Reconciler,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { KubeError } from '../../kube/errors.ts';
import type { Addresses } from './addresses.ts';
import { decide, type NodeStep } from './decide.ts';
import { type Pod, type PodStatus, podKind } from './pod.ts';
import {
  createPodRuntime,
  type PodRuntime,
  type PodSurroundings,
  podFolder,
  removePodFolder,
} from './pod-runtime.ts';
import { ContainerProblem } from './problem.ts';
import { isOver, podStatus } from './status.ts';
import { hasChangingVolumes } from './volumes.ts';

interface PodsOptions {
  readonly surroundings: PodSurroundings;
  readonly informer: Informer<Pod>;
  readonly addresses: Addresses;
  readonly nodeFolder: string;
  /** Triggers a sync of the pod with this key. */
  readonly wake: (key: Key) => void;
}

export interface Pods extends Reconciler {
  runtime(uid: string): PodRuntime | undefined;
  /**
   * Reports what runs of the pods that the node had before its start, which is nothing: others would send to them. Call it before
   * the first sync.
   */
  reportAfterStart(): Promise<void>;
  /** Ends all processes; call it when no sync is in progress. */
  end(graceMs: number): Promise<void>;
}

interface Held {
  readonly runtime: PodRuntime;
  /** The last reported status. */
  reported: string;
  /** When volumes are written again, in milliseconds since the epoch. */
  refreshAt: number;
}

/** A kubelet takes a minute or two. */
const refreshMs = 5_000;

export function createPods(options: PodsOptions): Pods {
  const { surroundings, informer, addresses, nodeFolder, wake } = options;
  const { client, clock } = surroundings;
  const held = new Map<string, Held>();
  /** The pods that had a name: after the object is gone, only this leads to their folders. */
  const uidsOf = new Map<Key, Set<string>>();

  async function reconcile(key: Key, signal: AbortSignal): Promise<Outcome> {
    const pod = informer.get(key);
    const uid = pod?.metadata.uid ?? '';
    await forgetOthers(key, uid);
    if (pod === undefined || uid === '') return settled;
    uidsOf.set(key, (uidsOf.get(key) ?? new Set()).add(uid));
    const known = held.get(uid);
    if (known === undefined && isOver(pod) && pod.metadata.deletionTimestamp === undefined) {
      return settled;
    }
    return proceed(pod, known ?? take(key, pod, uid), signal);
  }

  function take(key: Key, pod: Pod, uid: string): Held {
    const runtime = createPodRuntime({
      ...surroundings,
      pod,
      folder: podFolder(nodeFolder, uid),
      ip: addresses.take(uid, pod.status?.podIP),
      onChange: () => wake(key),
    });
    const taken = { runtime, reported: '', refreshAt: clock.now().getTime() + refreshMs };
    held.set(uid, taken);
    return taken;
  }

  async function proceed(pod: Pod, mine: Held, signal: AbortSignal): Promise<Outcome> {
    let step = next(pod, mine);
    for (; step.do !== 'wait' && !signal.aborted; step = next(pod, mine)) {
      await act(step, pod, mine);
    }
    if (step.do !== 'wait') return settled;
    await report(pod, mine);
    const until = Math.min(step.until ?? Infinity, await refreshed(pod, mine));
    return until === Infinity ? settled : waitUntil(new Date(until));
  }

  /** @returns when to come back */
  async function refreshed(pod: Pod, mine: Held): Promise<number> {
    if (isOver(pod) || !hasChangingVolumes(pod)) return Infinity;
    const now = clock.now().getTime();
    if (now < mine.refreshAt) return mine.refreshAt;
    mine.refreshAt = now + refreshMs;
    try {
      await mine.runtime.refreshVolumes(pod);
    } catch (thrown) {
      // The files stay as they are, as those of a kubelet do.
      if (!(thrown instanceof ContainerProblem || thrown instanceof KubeError)) throw thrown;
    }
    return mine.refreshAt;
  }

  function next(pod: Pod, { runtime }: Held): NodeStep {
    return decide({ pod, view: runtime.view(), now: clock.now().getTime() });
  }

  async function act(step: Exclude<NodeStep, { do: 'wait' }>, pod: Pod, mine: Held): Promise<void> {
    const { runtime } = mine;
    if (step.do === 'start') await runtime.start(pod, step.container);
    else if (step.do === 'stop') runtime.stop(step.containers, step.graceSeconds);
    else if (step.do === 'fail') runtime.fail({ reason: step.reason, message: step.message });
    else await release(pod, mine);
  }

  /** The final status comes first: clients that wait for the pod read it before the object is removed. */
  async function release(pod: Pod, mine: Held): Promise<void> {
    await report(pod, mine);
    const { uid } = pod.metadata;
    await client.delete(podKind, pod.metadata, { ...(uid && { uid }), gracePeriodSeconds: 0 });
    mine.runtime.release();
  }

  async function report(pod: Pod, mine: Held): Promise<void> {
    const current = informer.get(keyFor(pod.metadata));
    const newest = current?.metadata.uid === pod.metadata.uid && current ? current : pod;
    const status = podStatus(newest, mine.runtime.view(), clock.now());
    const text = statusText(status);
    if (text === mine.reported) return;
    const updated = await client.replaceStatus<Pod>(podKind, { ...newest, status });
    informer.remember(updated);
    mine.reported = text;
  }

  async function forgetOthers(key: Key, uid: string): Promise<void> {
    for (const other of uidsOf.get(key) ?? []) {
      if (other === uid) continue;
      const runtime = held.get(other)?.runtime;
      // The object is already gone, so no client waits for a graceful end.
      await runtime?.end(0);
      await removePodFolder(nodeFolder, other);
      held.delete(other);
      addresses.giveBack(other);
      uidsOf.get(key)?.delete(other);
    }
    if (uid === '') uidsOf.delete(key);
  }

  return {
    name: 'local-node',
    reconcile,
    runtime: (uid) => held.get(uid)?.runtime,
    async reportAfterStart() {
      const left = [...informer.items()].filter((pod) => !isOver(pod));
      await Promise.all(
        left.map(async (pod) => {
          const { uid = '' } = pod.metadata;
          const mine = take(keyFor(pod.metadata), pod, uid);
          // The first sync of the pod reports again.
          await report(pod, mine).catch(() => undefined);
        }),
      );
    },
    async end(graceMs) {
      await Promise.all([...held.values()].map(({ runtime }) => runtime.end(graceMs)));
    },
  };
}

/** Contains only what this node writes, because others add and remove conditions. */
function statusText({ conditions = [], ...status }: PodStatus): string {
  const ours = conditions
    .slice(0, 4)
    .map(({ type, status: value, reason = '', message = '' }) => [type, value, reason, message]);
  const { phase, reason, message, podIP, initContainerStatuses, containerStatuses } = status;
  const containers = [initContainerStatuses, containerStatuses];
  return JSON.stringify([phase, reason, message, podIP, containers, ours]);
}
