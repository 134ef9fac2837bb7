// The process of a provider crashes during one event, and ends later, while the handler of another one still runs: the one is
// answered and to blame, the other loses its connection and is not.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../src/domain/retry.ts';
import type { Answer } from '../../src/events/protocol.ts';
import { createKubeClient, type StreamingClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { podKind } from '../../src/reconcilers/workloads.ts';
import { kinds } from '../../src/store/kinds.ts';
import { deadLetterFixture } from '../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { installDefinitions } from '../support/fixtures/install-definitions.ts';
import { reportPod, takeOver } from '../support/fixtures/workloads/reported-pod.ts';
import { eventually } from '../support/runner/eventually.ts';
import { ownControlPlane } from '../support/servers/control-plane.ts';

const version = '20260101.000000';
let controlPlane: Awaited<ReturnType<typeof ownControlPlane>>;
let real: StreamingClient;

beforeAll(async () => {
  controlPlane = await ownControlPlane();
  real = createKubeClient(loadCluster({ kubeconfig: controlPlane.kubeconfig }));
  await installDefinitions(real);
});
afterAll(async () => {
  await real?.close();
  await controlPlane?.stop();
});

const failed = (code: string, unanswered: boolean): Answer => ({
  ...{ kind: 'failed', terminal: false, code, message: 'Boom' },
  ...(unanswered && { unanswered }),
});

/** As a kubelet does when the container has ended and runs again. */
async function restarted(namespace: string): Promise<void> {
  const pod = await real.get(podKind, { namespace, name: 'only' });
  const terminated = { exitCode: 1, reason: 'Error', message: 'Error: Boom\n', ...between };
  const container = {
    ...{ name: 'provider', image: 'none', imageID: 'none', ready: true, restartCount: 1 },
    ...{ state: { running: {} }, lastState: { terminated } },
  };
  const { status } = pod as { status?: object };
  const next = { ...status, containerStatuses: [container] };
  await real.replaceStatus(podKind, { ...pod, status: next } as never);
}

const between = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:01:00Z' };

it('a handler that the end of a process cuts off spends no attempt, and is not delivered alone', async () => {
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  const attempts: string[] = [];
  const fixture = await deadLetterFixture(real, {
    policy: { ...defaultRetryPolicy, baseMs: 100 },
    async before({ name, attempt }) {
      attempts.push(`${name} ${attempt}`);
      if (attempts.filter((each) => each === 'long 1').length === 1 && name === 'long') await isCut;
    },
    answer({ name, attempt }) {
      const times = attempts.filter((each) => each === `${name} ${attempt}`).length;
      if (name === 'short') return attempt === 1 ? failed('crashed', false) : undefined;
      return times === 1 ? failed('CONNECTION_LOST', true) : undefined;
    },
  });
  const { namespace } = fixture;
  const ref = { namespace, name: 'box' };
  await real.patch(kinds.provider, ref, { spec: { endpoint: null, version } });
  await reportPod(real, { namespace, name: 'only', version, podIP: '127.0.0.77' });
  await takeOver(real, fixture.run(), { namespace, version });
  await fixture.apply(['long']);
  await eventually(() => expect(attempts).toContain('long 1'));
  await fixture.apply(['short']);
  await eventually(async () => {
    const { status } = await fixture.resource('short');
    expect(status?.event).toMatchObject({ attempt: 2, crash: 'Culprit' });
  });
  cut();
  await restarted(namespace);
  await eventually(async () => {
    expect(await fixture.states()).toEqual({ ready: expect.arrayContaining(['long', 'short']) });
  });
  expect(attempts.filter((each) => each.startsWith('long'))).toEqual(['long 1', 'long 1']);
  expect(await fixture.deadLetters()).toEqual([]);
});
