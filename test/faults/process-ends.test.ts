// The whole pod of a provider ends twice, as by its memory: all that were in it at first are suspects and spend no attempt, and the one
// that is in it again is to blame.
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

const lost: Answer = {
  ...{ kind: 'failed', terminal: false, unanswered: true },
  ...{ code: 'CONNECTION_LOST', message: 'Boom' },
};

/** As a kubelet does when the container has ended and runs again. */
async function restarted(namespace: string, restartCount: number): Promise<void> {
  const pod = await real.get(podKind, { namespace, name: 'only' });
  const terminated = { exitCode: 1, reason: 'Error', message: 'Error: Boom\n', ...between };
  const container = {
    ...{ name: 'provider', image: 'none', imageID: 'none', ready: true, restartCount },
    ...{ state: { running: {} }, lastState: { terminated } },
  };
  const { status } = pod as { status?: object };
  const next = { ...status, containerStatuses: [container] };
  await real.replaceStatus(podKind, { ...pod, status: next } as never);
}

const between = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:01:00Z' };

it('an event that is in two pods that end is to blame, and another one spends no attempt', async () => {
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  const attempts: string[] = [];
  const attemptsOf = (name: string) => attempts.filter((each) => each.startsWith(name));
  let suspects = 0;
  let mostSuspects = 0;
  const fixture = await deadLetterFixture(real, {
    policy: { ...defaultRetryPolicy, baseMs: 100 },
    async before({ name, attempt, isSuspect = false }) {
      attempts.push(`${name} ${attempt}`);
      suspects += isSuspect ? 1 : 0;
      mostSuspects = Math.max(mostSuspects, suspects);
      await isCut;
      await new Promise((resolve) => setImmediate(resolve));
      suspects -= isSuspect ? 1 : 0;
    },
    answer({ name }) {
      const ends = name === 'culprit' ? 2 : 1;
      return attemptsOf(name).length <= ends ? lost : undefined;
    },
  });
  const { namespace } = fixture;
  const ref = { namespace, name: 'box' };
  await real.patch(kinds.provider, ref, { spec: { endpoint: null, version } });
  await reportPod(real, { namespace, name: 'only', version, podIP: '127.0.0.77' });
  await takeOver(real, fixture.run(), { namespace, version });
  await fixture.apply(['culprit', 'innocent']);
  await eventually(() => expect(attempts).toHaveLength(2));
  cut();
  await restarted(namespace, 1);
  await eventually(() => expect(attemptsOf('culprit')).toHaveLength(2));
  await restarted(namespace, 2);
  await eventually(async () => {
    expect(await fixture.states()).toEqual({
      ready: expect.arrayContaining(['culprit', 'innocent']),
    });
  });
  expect(attemptsOf('innocent')).toEqual(['innocent 1', 'innocent 1']);
  expect(attemptsOf('culprit')).toEqual(['culprit 1', 'culprit 1', 'culprit 2']);
  expect(mostSuspects).toBe(1);
  expect(await fixture.deadLetters()).toEqual([]);
});
