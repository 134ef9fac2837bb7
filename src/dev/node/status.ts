// Computes the status of a pod as a kubelet would report it, from the node's view of its containers. Pure.
import { hasSucceeded, isFinished } from './decide.ts';
import type { ContainerStatus, Phase, Pod, PodCondition, PodStatus } from './pod.ts';
import { kubeTime } from './pod.ts';
import type { ContainerView, PodView } from './pod-view.ts';

export const hostAddress = '127.0.0.1';

/** @returns the whole status, with the fields that other clients wrote */
export function podStatus(pod: Pod, view: PodView, now: Date): PodStatus {
  const { ip, verdict } = view;
  const phase = phaseOf(pod, view);
  const finished = isFinished(pod, view);
  const addresses = ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] };
  return {
    ...pod.status,
    phase,
    ...(verdict !== undefined && { reason: verdict.reason, message: verdict.message }),
    startTime: pod.status?.startTime ?? view.startTime,
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...addresses,
    conditions: conditionsOf(pod, view, { phase, now }),
    initContainerStatuses: view.init.map((each) => statusOfContainer(pod, each, finished)),
    containerStatuses: view.main.map((each) => statusOfContainer(pod, each, finished)),
  };
}

/** Returns whether the status of a container is `waiting`: it has not started, or waits for its restart. */
export function isContainerWaiting(pod: Pod, view: PodView, container: string): boolean {
  const finished = isFinished(pod, view);
  const found = [...view.init, ...view.main].find((each) => each.container.name === container);
  return found !== undefined && containerState(pod, found, finished).waiting !== undefined;
}

function phaseOf(pod: Pod, view: PodView): Phase {
  // A final phase never changes, whatever happens to the files.
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return pod.status.phase;
  const { init, main, verdict } = view;
  if (isFinished(pod, view)) {
    return verdict === undefined && [...init, ...main].every(hasSucceeded) ? 'Succeeded' : 'Failed';
  }
  if (!init.every(hasSucceeded)) return 'Pending';
  const began = main.every(({ state, last }) => state.kind !== 'new' || last !== undefined);
  return began ? 'Running' : 'Pending';
}

function statusOfContainer(pod: Pod, view: ContainerView, finished: boolean): ContainerStatus {
  const { container, state, restarts } = view;
  const running = state.kind === 'running';
  const shown = containerState(pod, view, finished);
  const last = shown.waiting !== undefined && state.kind === 'ended' ? state.ended : view.last;
  const id = running ? state.containerID : (shown.terminated ?? last)?.containerID;
  const isInit = (pod.spec.initContainers ?? []).some(({ name }) => name === container.name);
  return {
    name: container.name,
    image: container.image,
    imageID: container.image,
    ...(id !== undefined && { containerID: id }),
    restartCount: restarts,
    ready: isInit ? hasSucceeded(view) : isContainerReady(view),
    started: running && state.started,
    state: shown,
    lastState: last === undefined ? {} : { terminated: last },
  };
}

function isContainerReady({ state }: ContainerView): boolean {
  return state.kind === 'running' && state.ready;
}

function containerState(
  pod: Pod,
  view: ContainerView,
  finished: boolean,
): ContainerStatus['state'] {
  const { state, problem } = view;
  if (state.kind === 'running') return { running: { startedAt: state.startedAt } };
  if (problem !== undefined && !finished) return { waiting: problem };
  if (state.kind === 'ended') return { terminated: state.ended };
  const pending = (pod.spec.initContainers ?? []).length > 0;
  return { waiting: { reason: pending ? 'PodInitializing' : 'ContainerCreating' } };
}

function conditionsOf(
  pod: Pod,
  view: PodView,
  { phase, now }: { phase: Phase; now: Date },
): readonly PodCondition[] {
  const before = pod.status?.conditions ?? [];
  const ours = [
    { type: 'PodScheduled', status: 'True' as const },
    initialized(view),
    containersReady('ContainersReady', view, phase),
    containersReady('Ready', view, phase),
  ];
  const others = before.filter(({ type }) => !ours.some((each) => each.type === type));
  return [...ours.map((each) => stamped(each, before, now)), ...others];
}

function initialized({ init }: PodView): PodCondition {
  const waiting = init.filter((each) => !hasSucceeded(each)).map(({ container }) => container.name);
  if (waiting.length === 0) return { type: 'Initialized', status: 'True' };
  return {
    type: 'Initialized',
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${waiting.join(' ')}]`,
  };
}

function containersReady(type: string, { main }: PodView, phase: Phase): PodCondition {
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const unready = main
    .filter((each) => !isContainerReady(each))
    .map(({ container }) => container.name);
  if (unready.length === 0) return { type, status: 'True' };
  return {
    type,
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function stamped(
  condition: PodCondition,
  before: readonly PodCondition[],
  now: Date,
): PodCondition {
  const known = before.find(({ type }) => type === condition.type);
  const same = known !== undefined && known.status === condition.status;
  return { ...condition, lastTransitionTime: (same && known.lastTransitionTime) || kubeTime(now) };
}

/** Returns true if the pod has reached a final phase, so that nothing of it starts again. */
export function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}
