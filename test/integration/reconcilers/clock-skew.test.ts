// A provider whose clock is wrong, on a real API server: its events wait, and its Provider says so.
import { expect, it } from 'vitest';
import { findCondition } from '../../../src/crds/conditions.ts';
import type { Provider } from '../../../src/crds/provider.ts';
import { defaultRetryPolicy } from '../../../src/domain/retry.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { deadLetterFixture } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { kubectlFor } from '../../support/tools/kubectl.ts';

const real = clientWithCrds();
// The shortest wait for a clock would be 15 s.
const policy = { ...defaultRetryPolicy, maxAttempts: 2, capMs: 100, retryAfterCapMs: 100 };

it('costs no attempt, and is a condition of the provider until it answers in another way', async () => {
  let seconds = 185;
  let isSkewed = true;
  const fixture = await deadLetterFixture(real, {
    policy,
    answer() {
      seconds += 1;
      const message = `The clock of the provider is ${seconds} s behind, token=s3cr3t`;
      return isSkewed
        ? { kind: 'failed', terminal: false, code: 'clock_skew', message, retryAfterMs: 30_000 }
        : undefined;
    },
  });
  const { namespace, received } = fixture;
  const condition = async () => {
    const { status } = await real.get<Provider>(kinds.provider, { namespace, name: 'box' });
    return findCondition(status?.conditions, 'ClockSkew');
  };

  await fixture.apply(['box-0']);
  const first = fixture.run();
  await eventually(() => expect(received.length).toBeGreaterThan(2 * policy.maxAttempts));
  const { status } = await fixture.resource('box-0');
  expect(status).toMatchObject({ state: 'processing', reason: 'RetryScheduled' });
  expect(status?.event).toMatchObject({ attempt: 1, skewedAt: expect.any(String) });
  await eventually(async () =>
    expect(await condition()).toMatchObject({
      status: 'True',
      reason: 'ClockSkew',
      message: 'The clock of the provider is 186 s behind, token=[masked]',
    }),
  );
  const { lastTransitionTime } = (await condition()) ?? {};
  await first.stop();

  const before = received.length;
  fixture.run();
  await eventually(() => expect(received.length).toBeGreaterThan(before + 1));
  expect(await condition(), 'after a restart').toMatchObject({ lastTransitionTime });
  const { skewedAt } = status?.event ?? {};
  expect((await fixture.resource('box-0')).status?.event).toMatchObject({ attempt: 1, skewedAt });
  isSkewed = false;
  await eventually(async () => {
    expect(await fixture.states()).toEqual({ ready: ['box-0'] });
    expect(await condition()).toBeUndefined();
  });
  const kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  await eventually(async () => {
    const shown = '{range .items[*]}{.type} {.involvedObject.kind} {.reason}{"\\n"}{end}';
    const news = (await kubectl('get', 'events', '-o', `jsonpath=${shown}`)).trim().split('\n');
    const troubles = news.filter((each) => each.startsWith('Warning '));
    expect(troubles.toSorted(), 'once each').toEqual([
      'Warning Provider ClockSkew',
      'Warning Resource RetryScheduled',
    ]);
    expect(news).toContain('Normal Resource Processed');
  });
  const { event } = (await fixture.resource('box-0')).status ?? {};
  expect(event).toMatchObject({ attempt: 1 });
  expect(event).not.toHaveProperty('skewedAt');
  expect(await fixture.deadLetters()).toEqual([]);
});
