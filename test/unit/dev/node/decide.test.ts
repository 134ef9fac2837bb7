// The life of a pod on the local node, as a table: what is known of it → what is done next.
import { expect, test } from 'vitest';
import { decide, type NodeStep } from '../../../../src/dev/node/decide.ts';
import type { Container, Pod, PodSpec } from '../../../../src/dev/node/pod.ts';
import type { ContainerState, ContainerView, PodView } from '../../../../src/dev/node/pod-view.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const startTime = '2026-01-01T00:00:00Z';

function pod(spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    metadata: { name: 'p', ...metadata },
    spec: { automountServiceAccountToken: false, restartPolicy: 'Always', containers: [], ...spec },
  };
}

const fresh: ContainerState = { kind: 'new' };
const running = {
  kind: 'running',
  startedAt: startTime,
  containerID: 'fairlead://1',
  started: true,
  ready: true,
} satisfies ContainerState;
const stopping: ContainerState = { ...running, stopBy: now + 5_000 };
const ended = (exitCode: number): ContainerState => ({
  kind: 'ended',
  ended: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
});

const image = {
  image: 'i',
  command: ['true'],
  terminationMessagePolicy: 'FallbackToLogsOnError',
} satisfies Omit<Container, 'name'>;

function container(
  name: string,
  state: ContainerState,
  more: Partial<ContainerView> = {},
): ContainerView {
  return { container: { name, ...image }, state, restarts: 0, notBefore: 0, ...more };
}

function unhealthyFor(terminationGracePeriodSeconds: number): ContainerView {
  const httpGet = { path: '/livez', port: 8080 };
  const { container: made, ...rest } = container('a', { ...running, unhealthy: 'no' });
  return {
    ...rest,
    container: { ...made, livenessProbe: { httpGet, terminationGracePeriodSeconds } },
  };
}

function view(main: readonly ContainerView[], more: Partial<PodView> = {}): PodView {
  return { init: [], main, ip: '127.64.0.1', startTime, released: false, ...more };
}

const deleted = { deletionTimestamp: startTime, deletionGracePeriodSeconds: 7 };
const wait: NodeStep = { do: 'wait' };
const start = (name: string): NodeStep => ({ do: 'start', container: name });

interface Row {
  readonly when: string;
  readonly pod?: Pod;
  readonly view: PodView;
  readonly does: NodeStep;
}

const rows: readonly Row[] = [
  { when: 'a container has not run', view: view([container('a', fresh)]), does: start('a') },
  {
    when: 'one of two runs',
    view: view([container('a', running), container('b', fresh)]),
    does: start('b'),
  },
  { when: 'all run', view: view([container('a', running)]), does: wait },
  {
    when: 'an init container has not run',
    view: view([container('a', fresh)], { init: [container('i', fresh)] }),
    does: start('i'),
  },
  {
    when: 'an init container runs',
    view: view([container('a', fresh)], { init: [container('i', running), container('j', fresh)] }),
    does: wait,
  },
  {
    when: 'the first init container has succeeded',
    view: view([container('a', fresh)], {
      init: [container('i', ended(0)), container('j', fresh)],
    }),
    does: start('j'),
  },
  {
    when: 'all init containers have succeeded',
    view: view([container('a', fresh)], { init: [container('i', ended(0))] }),
    does: start('a'),
  },
  {
    when: 'an init container has failed and may run again',
    view: view([container('a', fresh)], { init: [container('i', ended(1))] }),
    does: start('i'),
  },
  {
    when: 'an init container has failed permanently',
    pod: pod({ restartPolicy: 'Never' }),
    view: view([container('a', fresh)], { init: [container('i', ended(1))] }),
    does: wait,
  },
  {
    when: 'a container has ended well and always runs again',
    view: view([container('a', ended(0))]),
    does: start('a'),
  },
  {
    when: 'a container has failed and never runs again',
    pod: pod({ restartPolicy: 'Never' }),
    view: view([container('a', ended(1))]),
    does: wait,
  },
  {
    when: 'two containers back off, the sooner counts',
    view: view([
      container('a', ended(1), { notBefore: now + 9 }),
      container('b', ended(1), { notBefore: now + 5 }),
    ]),
    does: { do: 'wait', until: now + 5 },
  },
  {
    when: 'one container backs off and another may start',
    view: view([container('a', ended(1), { notBefore: now + 9 }), container('b', fresh)]),
    does: start('b'),
  },
  {
    when: 'the backoff is over',
    view: view([container('a', ended(1), { notBefore: now })]),
    does: start('a'),
  },
  {
    when: 'a container is unhealthy',
    view: view([container('a', { ...running, unhealthy: 'no' })]),
    does: { do: 'stop', containers: ['a'], graceSeconds: 30 },
  },
  {
    when: 'an unhealthy container has a grace period for that',
    view: view([unhealthyFor(5)]),
    does: { do: 'stop', containers: ['a'], graceSeconds: 5 },
  },
  {
    when: 'an unhealthy container is stopping already',
    view: view([container('a', { ...stopping, unhealthy: 'no' })]),
    does: wait,
  },
  {
    when: 'the pod is deleted and runs',
    pod: pod({}, deleted),
    view: view([container('a', running), container('b', fresh)]),
    does: { do: 'stop', containers: ['a'], graceSeconds: 7 },
  },
  {
    when: 'the pod is deleted and stops',
    pod: pod({}, deleted),
    view: view([container('a', stopping)]),
    does: wait,
  },
  {
    when: 'the pod is deleted once more, with less patience',
    pod: pod({}, { ...deleted, deletionGracePeriodSeconds: 1 }),
    view: view([container('a', stopping)]),
    does: { do: 'stop', containers: ['a'], graceSeconds: 1 },
  },
  {
    when: 'the pod is deleted and nothing of it runs',
    pod: pod({}, deleted),
    view: view([container('a', ended(1))]),
    does: { do: 'release' },
  },
  {
    when: 'the pod is deleted before anything ran',
    pod: pod({}, deleted),
    view: view([container('a', fresh)]),
    does: { do: 'release' },
  },
  {
    when: 'the pod is released and waits for a finalizer',
    pod: pod({}, deleted),
    view: view([container('a', ended(1))], { released: true }),
    does: wait,
  },
  {
    when: 'the deadline is ahead',
    pod: pod({ activeDeadlineSeconds: 61 }),
    view: view([container('a', running)]),
    does: { do: 'wait', until: now + 1_000 },
  },
  {
    when: 'the deadline has come',
    pod: pod({ activeDeadlineSeconds: 60 }),
    view: view([container('a', running)]),
    does: {
      do: 'fail',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    },
  },
  {
    when: 'the deadline has come after the end',
    pod: pod({ activeDeadlineSeconds: 60, restartPolicy: 'Never' }),
    view: view([container('a', ended(0))]),
    does: wait,
  },
  {
    when: 'the node has ended the pod, which still runs',
    pod: pod({ activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 3 }),
    view: view([container('a', running)], { verdict: { reason: 'DeadlineExceeded', message: '' } }),
    does: { do: 'stop', containers: ['a'], graceSeconds: 3 },
  },
  {
    when: 'the node has ended the pod, and nothing runs',
    pod: pod({ activeDeadlineSeconds: 60 }),
    view: view([container('a', ended(143))], {
      verdict: { reason: 'DeadlineExceeded', message: '' },
    }),
    does: wait,
  },
];

test.each(rows)('when $when: $does.do', ({ pod: given = pod(), view: known, does }) => {
  expect(decide({ pod: given, view: known, now })).toEqual(does);
});
