// A provider that asks to wait with all its events, on a real API server: nothing is sent until then, also by the next controller,
// and then one event tries first.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../src/domain/retry.ts';
import type { Answer } from '../../../src/events/protocol.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { deadLetterFixture } from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { kubectlFor } from '../../support/tools/kubectl.ts';

const real = clientWithCrds();
const waitMs = 4_000;

it('sends nothing until then, spends no attempt, and tries one event before the others', async () => {
  let isLimited = true;
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  const asked: Answer = {
    kind: 'failed',
    terminal: false,
    code: 'rate_limited',
    message: 'The cloud allows 10 calls a minute, token=s3cr3t',
    retryAfterMs: waitMs,
    retryScope: 'provider',
  };
  const fixture = await deadLetterFixture(real, {
    before: () => (isLimited ? Promise.resolve() : mayAnswer),
    answer: () => (isLimited ? asked : undefined),
  });
  const { namespace, received } = fixture;
  await fixture.apply(['first']);
  const controllers = fixture.run();
  await eventually(async () => {
    expect((await fixture.resource('first')).status).toMatchObject({ reason: 'RateLimited' });
  });
  const { status } = await fixture.resource('first');
  expect(status).toMatchObject({
    state: 'processing',
    event: { attempt: 1, hold: { since: expect.any(String), scope: 'Provider' } },
  });
  const until = status?.event?.nextAttemptAt ?? '';
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
    `The provider asked to wait with all events until ${until}: rate_limited: The cloud allows 10 calls a minute, token=[masked]`,
  );

  isLimited = false;
  await fixture.apply(['second', 'third']);
  const claimed = async (name: string) =>
    expect((await fixture.resource(name)).status?.state).toBe('processing');
  await eventually(() => Promise.all([claimed('second'), claimed('third')]));
  await controllers.stop();
  fixture.run();
  await eventually(() => expect(received).toHaveLength(2));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
  letAnswer();
  await eventually(async () => {
    expect(await fixture.states()).toEqual({ ready: expect.arrayContaining(['first', 'second']) });
  });
  expect(received.toSorted()).toEqual(['first', 'first', 'second', 'third']);
  expect((await fixture.resource('first')).status?.event).not.toHaveProperty('hold');
  const kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  await eventually(async () => {
    const shown = '{range .items[*]}{.reason}{"\\n"}{end}';
    const reasons = (await kubectl('get', 'events', '-o', `jsonpath=${shown}`)).trim().split('\n');
    expect(reasons.filter((each) => each === 'RateLimited')).toHaveLength(1);
  });
}, 60_000);

it('waits for other settings beyond the limit of a wait, and spends no attempt', async () => {
  let isRevoked = true;
  const refused: Answer = {
    kind: 'failed',
    terminal: false,
    code: 'settings_refused',
    message: 'The token was revoked',
    retryAfterMs: 500,
    retryScope: 'provider',
  };
  const policy = { ...defaultRetryPolicy, maxAttempts: 2, operationLimitMs: 1_000 };
  const fixture = await deadLetterFixture(real, {
    policy,
    answer: () => (isRevoked ? refused : undefined),
  });
  await fixture.apply(['one']);
  fixture.run();
  await eventually(() => expect(fixture.received.length).toBeGreaterThan(4));
  const { status } = await fixture.resource('one');
  expect(status).toMatchObject({ state: 'processing', event: { attempt: 1 } });
  await eventually(async () => {
    const { reason, conditions } = (await fixture.resource('one')).status ?? {};
    expect(reason).toBe('SettingsRefused');
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      reason: 'SettingsRefused',
      message: expect.stringMatching(
        /^The settings of the provider do not work any more; .* revoked$/,
      ),
    });
  });
  isRevoked = false;
  await eventually(async () => expect(await fixture.states()).toEqual({ ready: ['one'] }));
}, 60_000);
