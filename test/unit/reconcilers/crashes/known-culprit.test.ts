// A process whose end was announced by an answer cuts other deliveries off: they are not to blame, however few are left.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import { keyFor } from '../../../../src/kube/api.ts';
import { createProcessEnds } from '../../../../src/reconcilers/crashes/process-ends.ts';
import { askProvider } from '../../../../src/reconcilers/observation/ask.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import {
  type DeliverDeps,
  deliver,
} from '../../../../src/reconcilers/resource/delivery/deliver.ts';
import { createGate } from '../../../../src/reconcilers/resource/delivery/gate.ts';
import { createUnrecordedAnswers } from '../../../../src/reconcilers/resource/delivery/unrecorded-answers.ts';
import type { Pod } from '../../../../src/reconcilers/workloads.ts';
import { inFlight, now, observing } from '../../../support/fixtures/builders.ts';
import { objectCache } from '../../../support/fixtures/object-cache.ts';
import { aServingPod } from '../../../support/fixtures/workloads/workload-builders.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const { signal } = new AbortController();
const failed = (code: string, unanswered = false): Answer => ({
  ...{ kind: 'failed', terminal: false, code, message: 'Boom' },
  ...(unanswered && { unanswered }),
});
const lost = failed('CONNECTION_LOST', true);
const terminated = { exitCode: 1, message: 'Error: Boom\n' };
const podAfter = (restartCount: number) =>
  aServingPod({
    metadata: { uid: 'uid-pod' },
    status: {
      containerStatuses: [
        {
          ...{ name: 'provider', restartCount, state: { running: {} } },
          ...(restartCount > 0 && { lastState: { terminated } }),
        },
      ],
    },
  });

/** A provider with one pod, which runs its first process. */
function aProvider() {
  const pods = objectCache<Pod>(podAfter(0));
  const pod = keyFor(podAfter(0).metadata);
  const processEnds = createProcessEnds({ pods, timers: manualTime().timers });
  const answers = new Map<string, Promise<Answer>>();
  const url = 'http://10.0.0.1:8080';
  const deps = {
    claims: { sent: () => undefined },
    answers: createUnrecordedAnswers(),
    endpoints: { find: () => url, servingVersion: () => undefined, podAt: () => pods.get(pod) },
    gate: createGate<Answer>({}),
    processEnds,
    underWay: {} as DeliverDeps['underWay'],
    progress: { begin: () => ({ report: () => undefined, end: () => Promise.resolve() }) },
    observations: { abort: () => undefined },
    eventTimeoutMs: 30_000,
    dispatch: ({ id, type }) => answers.get(type === 'OBSERVE' ? 'observation' : id) ?? lostSoon,
    delivered: () => undefined,
  } satisfies DeliverDeps;
  const lostSoon = Promise.resolve(lost);

  /** @returns the decision about the last attempt that the policy allows */
  async function delivery(id: string, answer: Promise<Answer>) {
    answers.set(id, answer);
    const { maxAttempts: attempt } = defaultRetryPolicy;
    const resource = inFlight({ id, attempt });
    const { event } = resource.status ?? {};
    if (event === undefined) throw new Error('Without an event');
    const observed = observing(resource);
    const unrecorded = await deliver({ do: 'send', event, endpoint: url }, observed, {
      deps,
      signal,
    });
    return decide({ ...observed, unrecorded }, now, defaultRetryPolicy);
  }

  return {
    delivery,
    observation(answer: Answer) {
      answers.set('observation', Promise.resolve(answer));
      const question = { organizationId: 'acme', config: {}, schemaVersion: 1 };
      return askProvider({ ...question, resource: inFlight() }, deps, signal);
    },
    /** The process ends, and the container starts another one. */
    restarted(count: number) {
      pods.put(podAfter(count));
      processEnds.changed(pod);
    },
  };
}

const victim = { do: 'scheduleRetry', isFree: true, event: { attempt: 8 } };
const culprit = { do: 'fail', event: { crash: 'Culprit' }, failure: { code: 'CRASHED' } };

it.each(['crashed', 'terminating'])(
  'a handler that runs on after another event was answered %s is no culprit',
  async (code) => {
    const { delivery, restarted } = aProvider();
    const cut = Promise.withResolvers<Answer>();
    const long = delivery('evt-long', cut.promise);
    await delivery('evt-other', Promise.resolve(failed(code)));
    cut.resolve(lost);
    restarted(1);
    const decision = await long;
    expect(decision).toMatchObject(victim);
    expect(decision).not.toHaveProperty('event.crash');
  },
);

it('nor is one that entered the process after everybody had left it', async () => {
  const { delivery, restarted } = aProvider();
  await delivery('evt-other', Promise.resolve(failed('crashed')));
  const late = delivery('evt-late', Promise.resolve(lost));
  restarted(1);
  expect(await late).toMatchObject(victim);
});

it('nor is one that an observation ends the process of', async () => {
  const { delivery, observation, restarted } = aProvider();
  const cut = Promise.withResolvers<Answer>();
  const long = delivery('evt-long', cut.promise);
  await observation(failed('crashed'));
  cut.resolve(lost);
  restarted(1);
  expect(await long).toMatchObject(victim);
});

it('in the next process of the pod, whoever is alone is the culprit again', async () => {
  const { delivery, restarted } = aProvider();
  await delivery('evt-other', Promise.resolve(failed('crashed')));
  restarted(1);
  const next = delivery('evt-next', Promise.resolve(lost));
  restarted(2);
  expect(await next).toMatchObject(culprit);
});
