// A version of a provider that takes over while an event is with a pod of the version before, on a real API server.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../src/domain/retry.ts';
import type { Answer } from '../../../src/events/protocol.ts';
import { podKind } from '../../../src/reconcilers/workloads.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { deadLetterFixture } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { reportPod, takeOver } from '../../support/fixtures/workloads/reported-pod.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
const [before, after] = ['20260101.000000', '20260102.000000'] as const;

it('a refusal by a pod of the version before is not final when another takes over meanwhile', async () => {
  const refusal: Answer = {
    ...{ kind: 'failed', terminal: true },
    ...{ code: 'unknown_type', message: 'Not of this version' },
  };
  const fixture = await deadLetterFixture(real, {
    policy: { ...defaultRetryPolicy, baseMs: 10 },
    async before() {
      if (fixture.received.length === 1)
        await takeOver(real, running, { namespace, version: after });
    },
    answer: () => (fixture.received.length === 1 ? refusal : undefined),
  });
  const { namespace } = fixture;
  const ref = { namespace, name: 'box' };
  await real.patch(kinds.provider, ref, { spec: { endpoint: null, version: before } });
  await reportPod(real, { namespace, name: 'before', version: before, podIP: '127.0.0.77' });
  await reportPod(real, { namespace, name: 'after', version: after, podIP: '127.0.0.78' });
  const running = fixture.run();
  await takeOver(real, running, { namespace, version: before });
  await fixture.apply(['a']);
  await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['a'] }));
  expect(await fixture.deadLetters()).toEqual([]);
  expect(fixture.received).toEqual(['a', 'a']);
});

it('an event that waited for its provider says so no longer while it is with it', async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const fixture = await deadLetterFixture(real, {
    policy: { ...defaultRetryPolicy, baseMs: 10 },
    async before() {
      if (fixture.received.length > 1) return await mayEnd;
      // The first attempt fails, and no pod is left for the second.
      await real.delete(podKind, { namespace, name: 'first' }, { gracePeriodSeconds: 0 });
      await eventually(() => expect(running.caches.pods.get(`${namespace}/first`)).toBeUndefined());
    },
    answer: () =>
      fixture.received.length > 1
        ? undefined
        : { kind: 'failed', terminal: false, code: 'busy', message: 'Later' },
  });
  const { namespace } = fixture;
  const ref = { namespace, name: 'box' };
  await real.patch(kinds.provider, ref, { spec: { endpoint: null, version: before } });
  await reportPod(real, { namespace, name: 'first', version: before, podIP: '127.0.0.77' });
  const running = fixture.run();
  await takeOver(real, running, { namespace, version: before });
  await fixture.apply(['a']);
  const status = async () => (await fixture.resource('a')).status;
  await eventually(async () =>
    expect(await status()).toMatchObject({ reason: 'WaitingForProvider' }),
  );
  const waiting = await status();
  await reportPod(real, { namespace, name: 'second', version: before, podIP: '127.0.0.78' });
  await eventually(() => expect(fixture.received).toEqual(['a', 'a']));
  expect(await status()).toMatchObject({
    ...{ state: 'processing', reason: 'Processing' },
    event: { attempt: 2, begunAt: expect.any(String) },
  });
  expect((await status())?.event?.sequence).toBeGreaterThan(waiting?.event?.sequence ?? Infinity);
  end();
  await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['a'] }));
});
