// The status of a pod of the local node, from the state of its containers.
import { expect, test } from 'vitest';
import type { Container, Pod, PodSpec, RestartPolicy } from '../../../../src/dev/node/pod.ts';
import type { ContainerState, ContainerView, PodView } from '../../../../src/dev/node/pod-view.ts';
import { isContainerWaiting, podStatus } from '../../../../src/dev/node/status.ts';

const now = new Date('2026-01-01T00:01:00Z');
const running = (ready: boolean): ContainerState => ({
  kind: 'running',
  startedAt: '2026-01-01T00:00:00Z',
  containerID: 'fairlead://1',
  started: true,
  ready,
});
const ended = (exitCode: number): ContainerState => ({
  kind: 'ended',
  ended: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
});

const image = {
  image: 'i',
  command: ['true'],
  terminationMessagePolicy: 'FallbackToLogsOnError',
} satisfies Omit<Container, 'name'>;

function container(state: ContainerState, more: Partial<ContainerView> = {}): ContainerView {
  return { container: { name: 'a', ...image }, state, restarts: 0, notBefore: 0, ...more };
}

function podWith(restartPolicy: RestartPolicy, status: Pod['status'] = {}): Pod {
  const spec: PodSpec = { automountServiceAccountToken: false, restartPolicy, containers: [] };
  return { metadata: { name: 'p' }, spec, status };
}

function viewOf(main: readonly ContainerView[], more: Partial<PodView> = {}): PodView {
  const startTime = '2026-01-01T00:00:00Z';
  return { init: [], main, ip: '127.64.0.1', startTime, released: false, ...more };
}

test.each([
  ['Pending', 'Always', viewOf([container({ kind: 'new' })])],
  ['Pending', 'Always', viewOf([container({ kind: 'new' })], { init: [container(running(true))] })],
  ['Running', 'Always', viewOf([container(running(false))])],
  ['Running', 'Always', viewOf([container(ended(1))])],
  ['Running', 'Never', viewOf([container(ended(1)), container(running(true))])],
  ['Failed', 'Never', viewOf([container(ended(1))])],
  ['Failed', 'Never', viewOf([container({ kind: 'new' })], { init: [container(ended(1))] })],
  ['Succeeded', 'Never', viewOf([container(ended(0))])],
  [
    'Failed',
    'Always',
    viewOf([container(ended(0))], { verdict: { reason: 'DeadlineExceeded', message: '' } }),
  ],
] as const)('is %s with the policy %s (case %#)', (phase, policy, view) => {
  expect(podStatus(podWith(policy), view, now).phase).toBe(phase);
});

test('a final phase is kept', () => {
  const view = viewOf([container({ kind: 'new' })]);
  expect(podStatus(podWith('Never', { phase: 'Succeeded' }), view, now).phase).toBe('Succeeded');
});

test('a container in backoff shows the reason, and its last termination', () => {
  const problem = { reason: 'CrashLoopBackOff', message: 'back-off 10s' };
  const view = viewOf([container(ended(1), { problem, restarts: 2 })]);
  const [status] = podStatus(podWith('Always'), view, now).containerStatuses ?? [];
  expect(status).toMatchObject({
    restartCount: 2,
    state: { waiting: problem },
    lastState: { terminated: { exitCode: 1 } },
  });
  expect(isContainerWaiting(podWith('Always'), view, 'a')).toBe(true);
});

test.each([
  [true, 'has not started', { kind: 'new' } as const],
  [false, 'runs', running(true)],
  [false, 'has ended', ended(1)],
])('it is %s that a container waits which %s', (want, _what, state) => {
  expect(isContainerWaiting(podWith('Always'), viewOf([container(state)]), 'a')).toBe(want);
});

test('a finished pod shows the termination of its container, not a backoff', () => {
  const problem = { reason: 'CrashLoopBackOff', message: 'back-off 10s' };
  const view = viewOf([container(ended(1), { problem })]);
  const deleted = podWith('Always');
  deleted.metadata.deletionTimestamp = '2026-01-01T00:00:30Z';
  const [status] = podStatus(deleted, view, now).containerStatuses ?? [];
  expect(status?.state).toEqual({ terminated: { exitCode: 1, reason: 'Error' } });
});

test('a condition keeps its time while unchanged, and those of other writers are kept', () => {
  const before = { lastTransitionTime: '2026-01-01T00:00:10Z' };
  const conditions = [
    { type: 'Ready', status: 'True' as const, ...before },
    { type: 'PodScheduled', status: 'True' as const, ...before },
    { type: 'DisruptionTarget', status: 'True' as const, ...before },
  ];
  const status = podStatus(
    podWith('Always', { conditions }),
    viewOf([container(running(false))]),
    now,
  );
  const times = Object.fromEntries(
    (status.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
  );
  expect(times).toMatchObject({
    Ready: '2026-01-01T00:01:00Z',
    PodScheduled: '2026-01-01T00:00:10Z',
    DisruptionTarget: '2026-01-01T00:00:10Z',
  });
});
