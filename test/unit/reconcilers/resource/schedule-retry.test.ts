// When the next attempt is due.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import { type ActDeps, act } from '../../../../src/reconcilers/resource/act.ts';
import { withHold } from '../../../../src/reconcilers/resource/hold.ts';
import {
  aClaim,
  inFlight,
  now,
  observing,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const answer: Answer = { kind: 'failed', terminal: false, code: 'HTTP_503', message: 'busy' };

function acting() {
  const written: (Resource['status'] & object)[] = [];
  const recorded: { reason: string; message: string }[] = [];
  const deps = {
    claims: {
      writeStatus: (_resource: Resource, status: Resource['status'] & object) =>
        Promise.resolve(written.push(status)),
    },
    answers: { drop: () => undefined },
    recorder: { record: (_on: object, news: (typeof recorded)[number]) => recorded.push(news) },
    policy: defaultRetryPolicy,
    clock: { now: () => now },
    random: () => 1,
  } as unknown as ActDeps;
  return { deps, written, recorded };
}

it.each([
  ['of a type that declares nothing', undefined, 60],
  ['of a type with longer waits', { maxDelaySeconds: 600 }, 600],
  ['of a type with shorter waits', { maxDelaySeconds: 2 }, 2],
  ['of a type that declares only attempts', { attempts: 20 }, 60],
])('the next attempt %s is due by then', async (_type, retry, seconds) => {
  const event = aClaim({ attempt: 11 });
  const { deps, written } = acting();
  await act({ do: 'scheduleRetry', event, answer }, observing(inFlight(event), { retry }), deps);
  expect(written.map((status) => status.event?.nextAttemptAt)).toEqual([
    secondsLater(seconds).toISOString(),
  ]);
});

it('waits as long as the provider asks, without an attempt, and says so once', async () => {
  const asking = {
    kind: 'failed',
    terminal: false,
    code: 'rate_limited',
    message: 'Slow down',
    retryAfterMs: 3_600_000,
    retryScope: 'provider',
  } as const;
  const { deps, written, recorded } = acting();
  const hold = { since: now.toISOString(), scope: 'Provider' } as const;
  const first = inFlight({ attempt: 7 });
  const event = { ...aClaim({ attempt: 7, sequence: 3 }), hold };
  await act({ do: 'hold', event, answer: asking }, observing(first), deps);
  await act({ do: 'hold', event, answer: asking }, observing(inFlight({ hold })), deps);
  const due = secondsLater(3_600).toISOString();
  const message = `The provider asked to wait with all events until ${due}: rate_limited: Slow down`;
  expect(written[0]).toMatchObject({
    state: 'processing',
    reason: 'RateLimited',
    event: { attempt: 7, sequence: 4, nextAttemptAt: due, hold },
  });
  expect(written[0]?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False', message });
  expect(recorded).toMatchObject([{ reason: 'RateLimited' }]);
});

it('waits for other settings while those of the provider do not work', async () => {
  const refusing = {
    kind: 'failed',
    terminal: false,
    code: 'settings_refused',
    message: 'The token was revoked',
    retryAfterMs: 30_000,
    retryScope: 'provider',
  } as const;
  const { deps, written, recorded } = acting();
  const since = secondsLater(-86_400).toISOString();
  const before = aClaim({ attempt: 2, hold: { since, scope: 'Provider' } });
  // The limit of a wait does not count from before they work again.
  const event = withHold(before, refusing, now);
  expect(event.hold).toEqual({ since: now.toISOString(), scope: 'Provider' });
  expect(event.acceptedAt).toBeUndefined();
  // Nor does that of an operation, which goes on then.
  const polled = withHold({ ...before, acceptedAt: since }, refusing, now);
  expect(polled.acceptedAt).toBe(now.toISOString());
  const limited = { ...refusing, code: 'rate_limited' };
  expect(withHold({ ...before, acceptedAt: since }, limited, now)).toMatchObject({
    acceptedAt: since,
    hold: { since },
  });
  await act({ do: 'hold', event, answer: refusing }, observing(inFlight()), deps);
  const due = secondsLater(30).toISOString();
  const message = `The settings of the provider do not work any more; an event tries again at ${due}: settings_refused: The token was revoked`;
  expect(written[0]).toMatchObject({
    state: 'processing',
    reason: 'SettingsRefused',
    event: { attempt: 2, nextAttemptAt: due },
  });
  expect(written[0]?.conditions?.[0]).toMatchObject({ reason: 'SettingsRefused', message });
  expect(recorded).toMatchObject([{ type: 'Warning', reason: 'SettingsRefused', message }]);
});
