// The expiry of resources: when it is acted on, and when a pass looks again.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { again, type Outcome, settled, waitUntil } from '../../../../../src/kube/api.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import { untilExpiry } from '../../../../../src/reconcilers/resource/expiry/expiry.ts';
import type { Observed } from '../../../../../src/reconcilers/resource/observe.ts';
import {
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';

const at = (seconds: number) => secondsLater(seconds).toISOString();
const expires = (seconds: number, more: Partial<Resource['spec']> = {}) => ({
  spec: { expiresAt: at(seconds), ...more },
});
const expired = readyResource(expires(-1));
const deletionTimestamp = '2026-01-01T00:00:00Z';
const isExpiring = { do: 'expire' };

interface Case {
  readonly reason: string;
  readonly observed: Observed;
  readonly want: object;
}

const cases: Readonly<Record<string, Case>> = {
  'deletes what has expired': {
    reason: 'Nothing else matters of it.',
    observed: observing(expired),
    want: isExpiring,
  },
  'deletes at the very moment': {
    reason: 'The pass that waits for it begins there.',
    observed: observing(readyResource(expires(0))),
    want: isExpiring,
  },
  'deletes what has expired in every state: draft': {
    reason: 'A forgotten draft is what an expiry is for.',
    observed: observing(aResource(expires(-1, { lifecycle: 'Draft' }))),
    want: isExpiring,
  },
  'deletes what has expired in every state: never seen': {
    reason: 'After an outage, the first pass may come after the time.',
    observed: observing(aResource(expires(-1))),
    want: isExpiring,
  },
  'deletes what has expired in every state: in flight': {
    reason: 'The deletion ends its event by the rules of any deletion.',
    observed: observing(inFlight({ attempt: 2 }, expires(-1))),
    want: isExpiring,
  },
  'deletes what has expired in every state: failed': {
    reason: 'Its dead letter must not keep it.',
    observed: observing(
      readyResource({ ...expires(-1), status: { state: 'failed', reason: 'ProviderFailed' } }),
    ),
    want: isExpiring,
  },
  'deletes what has expired although it is paused': {
    reason: 'The deletion waits then, as any of a paused resource.',
    observed: observing(readyResource(expires(-1, { paused: true }))),
    want: isExpiring,
  },
  'requests the deletion of what is in use': {
    reason: 'The deletion waits for its users.',
    observed: observing(expired, { users: ['a/b/c'] }),
    want: isExpiring,
  },
  'deletes nothing twice': {
    reason: 'From then on the rules of deletions apply.',
    observed: observing(readyResource({ ...expires(-1), metadata: { deletionTimestamp } })),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'deletes nothing that is protected': {
    reason: 'No request could ask for both; an object may have been written around the API server.',
    observed: observing(readyResource(expires(-1, { protected: true }))),
    want: { do: 'nothing' },
  },
  'deletes nothing of a suspended organization': {
    reason: 'Whoever resumes it gets its resources as they were.',
    observed: observing(expired, { suspended: true }),
    want: { do: 'nothing' },
  },
  'deletes nothing at a time that is none': {
    reason: 'The API server accepts times that JavaScript does not.',
    observed: observing(readyResource({ spec: { expiresAt: 'soon' } })),
    want: { do: 'nothing' },
  },
  'deletes nothing a moment earlier': {
    reason: 'Nothing is written before.',
    observed: observing(readyResource(expires(1))),
    want: { do: 'nothing' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});

describe('a pass looks again', () => {
  const inFiveMinutes = waitUntil(secondsLater(300));
  interface Look {
    readonly reason: string;
    readonly resource: Resource;
    readonly outcome: Outcome;
    readonly want: Outcome;
    readonly suspended?: boolean;
  }
  const looks: Readonly<Record<string, Look>> = {
    'at no time for what does not expire': {
      reason: 'An idle resource costs nothing.',
      resource: readyResource(),
      outcome: settled,
      want: settled,
    },
    'after five minutes for what expires in a year': {
      reason: 'The wall clock may jump forward meanwhile, as after a suspended machine.',
      resource: readyResource(expires(31_536_000)),
      outcome: settled,
      want: inFiveMinutes,
    },
    'at the time': {
      reason: 'The deletion is due.',
      resource: readyResource(expires(20)),
      outcome: settled,
      want: waitUntil(secondsLater(20)),
    },
    'earlier when something else is due': {
      reason: 'An attempt, or a poll.',
      resource: inFlight({}, expires(20)),
      outcome: waitUntil(secondsLater(10)),
      want: waitUntil(secondsLater(10)),
    },
    'before something else that is due later': {
      reason: 'An attempt may be hours away.',
      resource: inFlight({}, expires(20)),
      outcome: waitUntil(secondsLater(30)),
      want: waitUntil(secondsLater(20)),
    },
    'at once when the pass is to be repeated': {
      reason: 'The next pass decides.',
      resource: readyResource(expires(20)),
      outcome: again,
      want: again,
    },
    'for no expiry of what is in deletion': {
      reason: 'It is gone when its provider has cleaned up.',
      resource: readyResource({ ...expires(20), metadata: { deletionTimestamp } }),
      outcome: settled,
      want: settled,
    },
    'after five minutes while the organization is suspended': {
      reason: 'Nothing wakes settled resources when it is resumed.',
      resource: expired,
      outcome: settled,
      want: inFiveMinutes,
      suspended: true,
    },
    'at the turn of one that has expired': {
      reason: 'The pace gave it that time.',
      resource: expired,
      outcome: waitUntil(secondsLater(30)),
      want: waitUntil(secondsLater(30)),
    },
  };

  it.each(Object.entries(looks))('%s', (_name, { reason, resource, outcome, want, suspended }) => {
    const observed = { resource, suspended: suspended ?? false };
    expect(untilExpiry(outcome, observed, now), reason).toEqual(want);
  });
});

describe('a wall clock that jumps', () => {
  const observed = observing(readyResource(expires(1_800)));
  const decidedAt = (seconds: number) =>
    decide(observed, secondsLater(seconds), defaultRetryPolicy);

  it('forward, over the time, deletes at the next look', () => {
    expect(decidedAt(0)).toEqual({ do: 'nothing' });
    expect(decidedAt(86_400)).toEqual({ do: 'expire' });
  });

  it('backward, deletes nothing', () => {
    expect(decidedAt(-86_400)).toEqual({ do: 'nothing' });
    expect(decidedAt(0)).toEqual({ do: 'nothing' });
    expect(untilExpiry(settled, observed, secondsLater(-86_400))).toEqual(
      waitUntil(secondsLater(-86_400 + 300)),
    );
  });
});
