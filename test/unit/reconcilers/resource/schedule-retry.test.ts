// When the next attempt is due.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import { type ActDeps, act } from '../../../../src/reconcilers/resource/act.ts';
import {
  aClaim,
  inFlight,
  now,
  observing,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const answer: Answer = { kind: 'failed', terminal: false, code: 'HTTP_503', message: 'busy' };

it.each([
  ['of a type that declares nothing', undefined, 60],
  ['of a type with longer waits', { maxDelaySeconds: 600 }, 600],
  ['of a type with shorter waits', { maxDelaySeconds: 2 }, 2],
  ['of a type that declares only attempts', { attempts: 20 }, 60],
])('the next attempt %s is due by then', async (_type, retry, seconds) => {
  const event = aClaim({ attempt: 11 });
  const written: (Resource['status'] & object)[] = [];
  const deps = {
    claims: {
      writeStatus: (_resource: Resource, status: Resource['status'] & object) =>
        Promise.resolve(written.push(status)),
    },
    answers: { drop: () => undefined },
    policy: defaultRetryPolicy,
    clock: { now: () => now },
    random: () => 1,
  } as unknown as ActDeps;
  await act({ do: 'scheduleRetry', event, answer }, observing(inFlight(event), { retry }), deps);
  expect(written.map((status) => status.event?.nextAttemptAt)).toEqual([
    secondsLater(seconds).toISOString(),
  ]);
});
