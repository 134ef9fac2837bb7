// Decides the next steps of a pod: the ordered rules are its lifecycle. Pure.
import { firstMatch } from '../../lib/first-match.ts';
import type { Pod, RestartPolicy } from './pod.ts';
import type { ContainerView, PodView } from './pod-view.ts';

export type NodeStep =
  | { readonly do: 'wait'; readonly until?: number }
  | { readonly do: 'start'; readonly container: string }
  | { readonly do: 'stop'; readonly containers: readonly string[]; readonly graceSeconds: number }
  /** Every container has ended, and must not restart. */
  | { readonly do: 'fail'; readonly reason: string; readonly message: string }
  /** No process of the pod runs: the object may be removed. */
  | { readonly do: 'release' };

interface Situation {
  readonly pod: Pod;
  readonly view: PodView;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Rule = (situation: Situation) => NodeStep | undefined;

const rules: readonly Rule[] = [
  stopWhatIsDeleted,
  endAtTheDeadline,
  stopWhatTheNodeEnded,
  restartTheUnhealthy,
  leaveTheFinishedAlone,
  runInitContainersInOrder,
  runContainers,
];

export function decide(situation: Situation): NodeStep {
  return withDeadline(firstMatch(rules, situation) ?? { do: 'wait' }, situation);
}

const defaultGraceSeconds = 30;

function stopWhatIsDeleted({ pod, view, now }: Situation): NodeStep | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const graceSeconds = deletionGracePeriodSeconds ?? graceOf(pod);
  return stopAll(view, graceSeconds, now) ?? (view.released ? { do: 'wait' } : { do: 'release' });
}

function endAtTheDeadline(situation: Situation): NodeStep | undefined {
  const { view, now } = situation;
  const deadline = podDeadline(situation);
  if (deadline === undefined || now < deadline || view.verdict !== undefined) return undefined;
  if (isFinished(situation.pod, view)) return undefined;
  return {
    do: 'fail',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  };
}

function stopWhatTheNodeEnded({ pod, view, now }: Situation): NodeStep | undefined {
  if (view.verdict === undefined) return undefined;
  return stopAll(view, graceOf(pod), now) ?? { do: 'wait' };
}

function restartTheUnhealthy({ pod, view }: Situation): NodeStep | undefined {
  for (const { container, state } of view.main) {
    if (state.kind !== 'running' || state.stopBy !== undefined || state.unhealthy === undefined)
      continue;
    const { terminationGracePeriodSeconds: own } = container.livenessProbe ?? {};
    return { do: 'stop', containers: [container.name], graceSeconds: own ?? graceOf(pod) };
  }
  return undefined;
}

function leaveTheFinishedAlone({ pod, view }: Situation): NodeStep | undefined {
  return isFinished(pod, view) ? { do: 'wait' } : undefined;
}

function runInitContainersInOrder({ pod, view, now }: Situation): NodeStep | undefined {
  const next = view.init.find((each) => !hasSucceeded(each));
  if (next === undefined) return undefined;
  // An init container restarts only until it succeeds.
  const policy = pod.spec.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
  return startOrWait(next, policy, now);
}

function runContainers({ pod, view, now }: Situation): NodeStep | undefined {
  const policy = pod.spec.restartPolicy;
  const steps = view.main.map((each) => startOrWait(each, policy, now));
  const start = steps.find((step) => step.do === 'start');
  return start ?? steps.reduce(sooner, { do: 'wait' });
}

type NodePolicy = RestartPolicy | 'OnFailure';

function startOrWait(view: ContainerView, policy: NodePolicy, now: number): NodeStep {
  const { state, container, notBefore } = view;
  if (state.kind === 'running' || !mayRun(view, policy)) return { do: 'wait' };
  if (notBefore > now) return { do: 'wait', until: notBefore };
  return { do: 'start', container: container.name };
}

function mayRun({ state }: ContainerView, policy: NodePolicy): boolean {
  if (state.kind !== 'ended') return true;
  return policy === 'Always' || (policy === 'OnFailure' && state.ended.exitCode !== 0);
}

/** Returns true if every container has ended and will not restart. */
export function isFinished(pod: Pod, { init, main, verdict }: PodView): boolean {
  const all = [...init, ...main];
  if (all.some(({ state }) => state.kind === 'running')) return false;
  if (verdict !== undefined || pod.metadata.deletionTimestamp !== undefined) return true;
  const policy = pod.spec.restartPolicy;
  if (policy === 'Never' && init.some((each) => hasEnded(each) && !hasSucceeded(each))) return true;
  return init.every(hasSucceeded) && main.every((each) => hasEnded(each) && !mayRun(each, policy));
}

export function hasSucceeded({ state }: ContainerView): boolean {
  return state.kind === 'ended' && state.ended.exitCode === 0;
}

function hasEnded({ state }: ContainerView): boolean {
  return state.kind === 'ended';
}

function stopAll({ init, main }: PodView, graceSeconds: number, now: number): NodeStep | undefined {
  const running = [...init, ...main].filter(({ state }) => state.kind === 'running');
  if (running.length === 0) return undefined;
  const containers = running
    .filter(({ state }) => state.kind === 'running' && lasts(state, now + graceSeconds * 1_000))
    .map(({ container }) => container.name);
  return containers.length === 0 ? { do: 'wait' } : { do: 'stop', containers, graceSeconds };
}

/** Returns true if it may run past a moment: it was not stopped, or has a later limit. */
function lasts({ stopBy }: { stopBy?: number }, moment: number): boolean {
  return stopBy === undefined || stopBy > moment;
}

function graceOf({ spec }: Pod): number {
  return spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
}

function podDeadline({ pod, view }: Situation): number | undefined {
  const { activeDeadlineSeconds } = pod.spec;
  if (activeDeadlineSeconds === undefined) return undefined;
  return Date.parse(view.startTime) + activeDeadlineSeconds * 1_000;
}

/** A waiting pod is checked again at its deadline. */
function withDeadline(step: NodeStep, situation: Situation): NodeStep {
  const deadline = podDeadline(situation);
  if (step.do !== 'wait' || deadline === undefined || deadline <= situation.now) return step;
  if (isFinished(situation.pod, situation.view)) return step;
  return sooner(step, { do: 'wait', until: deadline });
}

function sooner(a: NodeStep, b: NodeStep): NodeStep {
  if (a.do !== 'wait' || b.do !== 'wait') return a.do === 'wait' ? b : a;
  const until = Math.min(a.until ?? Number.POSITIVE_INFINITY, b.until ?? Number.POSITIVE_INFINITY);
  return until === Number.POSITIVE_INFINITY ? { do: 'wait' } : { do: 'wait', until };
}
