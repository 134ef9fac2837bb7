// What a pause and a protection hold back, and what goes on all the same.
import { describe, expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { Observed } from '../../../../src/reconcilers/resource/observe.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import {
  aClaim,
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const config = { name: 'orders' };
const paused = { spec: { paused: true } };
const deletionTimestamp = '2026-01-01T00:00:00Z';
const asked = { annotations: { [annotation.orphanDeletion]: 'true' } };
const leaving = (
  spec: Partial<Resource['spec']>,
  { event, ...metadata }: Partial<Resource['metadata']> & { event?: Partial<ClaimedEvent> } = {},
) => inFlight(event, { spec, metadata: { deletionTimestamp, ...metadata } });
const broken = { kind: 'failed', terminal: false, code: 'X', message: 'no' } as const;

interface Case {
  readonly reason: string;
  readonly observed: Observed;
  readonly want: object;
}
type Cases = Readonly<Record<string, Case>>;

function check(cases: Cases): void {
  it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
    expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
  });
}

describe('a paused resource', () => {
  check({
    'begins no event': {
      reason: 'That is the pause.',
      observed: observing(aResource(paused)),
      want: { do: 'explain', reason: 'Paused', message: 'Paused: spec.paused is true' },
    },
    'begins no event for new content': {
      reason: 'It is stored, and sent when the pause ends.',
      observed: observing(
        readyResource({ ...paused, status: { content: 'older', state: 'ready' } }),
      ),
      want: { do: 'explain', reason: 'Paused' },
    },
    'begins no event for a dead letter that is retried': {
      reason: 'A retry is asked for again after the pause, or follows it.',
      observed: observing(
        readyResource({
          ...paused,
          metadata: { annotations: { [annotation.requeue]: 'evt-1/1' } },
          status: { state: 'failed', reason: 'ProviderFailed', event: aClaim() },
        }),
      ),
      want: { do: 'explain', reason: 'Paused' },
    },
    'begins no event for other outputs': {
      reason: 'Nobody asked for it.',
      observed: observing(readyResource({ ...paused, status: { references: 'older' } }), {
        resolution: { config, hash: 'newer', unresolved: [] },
      }),
      want: { do: 'nothing' },
    },
    'begins no event for content that kubectl changed in flight': {
      reason: 'The new content is a new event.',
      observed: observing(inFlight({ content: 'older' }, paused)),
      want: { do: 'explain', reason: 'Paused' },
    },
    'sends what was claimed before': {
      reason: 'What is in flight ends.',
      observed: observing(inFlight({}, paused)),
      want: { do: 'send' },
    },
    'goes on with the attempts of its event': {
      reason: 'A half-made thing is worse than a made one.',
      observed: observing(inFlight({ attempt: 3, nextAttemptAt: now.toISOString() }, paused)),
      want: { do: 'send', event: { attempt: 3 } },
    },
    'waits between the attempts of its event': {
      reason: 'The backoff stays as it is.',
      observed: observing(
        inFlight({ attempt: 3, nextAttemptAt: secondsLater(30).toISOString() }, paused),
      ),
      want: { do: 'wait', until: secondsLater(30) },
    },
    'is asked for its operation until that ends': {
      reason: 'The provider works on whether or not it is asked.',
      observed: observing(
        inFlight({ acceptedAt: now.toISOString(), nextAttemptAt: now.toISOString() }, paused),
      ),
      want: { do: 'send' },
    },
    'records what its event ends with': {
      reason: 'The outputs would be lost.',
      observed: observing(inFlight({}, paused), {
        unrecorded: { answer: { kind: 'succeeded', outputs: {} }, config },
      }),
      want: { do: 'recordSuccess' },
    },
    'is left alone when nothing is to be done': {
      reason: 'An idle resource is not written.',
      observed: observing(readyResource(paused)),
      want: { do: 'nothing' },
    },
  });
});

describe('the deletion of a paused resource', () => {
  check({
    waits: {
      reason: 'A DELETE is an event.',
      observed: observing(leaving({ paused: true })),
      want: {
        do: 'explain',
        reason: 'Paused',
        message: 'Paused: spec.paused is true; its deletion waits',
      },
    },
    'waits for users first': {
      reason: 'Whoever reads it learns what else there is to do.',
      observed: observing(leaving({ paused: true }), { users: ['a/b/c'] }),
      want: { do: 'explain', reason: 'InUse' },
    },
    'ends when its DELETE was claimed before the pause': {
      reason: 'What is in flight ends.',
      observed: observing(leaving({ paused: true }, { event: { type: 'DELETE' } })),
      want: { do: 'send', event: { type: 'DELETE' } },
    },
    'waits when its failed DELETE is asked for again': {
      reason: 'That is a new try, which force permits.',
      observed: observing({
        ...leaving(
          { paused: true },
          { event: { type: 'DELETE' }, annotations: { [annotation.requeue]: 'evt-1/1' } },
        ),
        status: {
          ...{ state: 'deleting', reason: 'DeleteFailed', observedGeneration: 1 },
          event: aClaim({ type: 'DELETE' }),
        },
      }),
      want: { do: 'explain', reason: 'Paused' },
    },
    'waits with the policy orphan, too': {
      reason: 'Otherwise an expiry would take it out of a pause.',
      observed: observing(leaving({ paused: true, deletionPolicy: 'Orphan' })),
      want: { do: 'explain', reason: 'Paused' },
    },
    'passes by force': {
      reason: 'Whoever forces does not wait.',
      observed: observing(leaving({ paused: true }), { forced: true }),
      want: { do: 'claim', event: { type: 'DELETE' } },
    },
    'passes by force with the policy orphan': {
      reason: 'Force lifts the pause and not the policy.',
      observed: observing(leaving({ paused: true }, asked), { forced: true }),
      want: { do: 'abandon', why: 'OrphanPolicy' },
    },
    'passes with its namespace': {
      reason: 'The namespace does not wait.',
      observed: observing(leaving({ paused: true }), { terminating: true }),
      want: { do: 'claim', event: { type: 'DELETE' } },
    },
    'ends for what no provider knows': {
      reason: 'No event is needed for it.',
      observed: observing(aResource({ ...paused, metadata: { deletionTimestamp } })),
      want: { do: 'release' },
    },
  });
});

/** Where no admission policy refuses it, or it was protected after the request. */
describe('the deletion of a protected resource', () => {
  const kept = { protected: true };
  const held = { do: 'explain', reason: 'Protected' };
  check({
    'sends no DELETE': {
      reason: 'That is the protection.',
      observed: observing(leaving(kept)),
      want: held,
    },
    'sends no DELETE by force': {
      reason: 'Two steps are the protection, and force is none of them.',
      observed: observing(leaving(kept), { forced: true }),
      want: held,
    },
    'abandons nothing by force without a provider': {
      reason: 'The record is protected as well.',
      observed: observing(leaving(kept), { forced: true, endpoint: undefined }),
      want: held,
    },
    'abandons nothing by the policy orphan': {
      reason: 'The record is protected as well.',
      observed: observing(leaving({ ...kept, deletionPolicy: 'Orphan' })),
      want: held,
    },
    'abandons nothing that a request orphans': {
      reason: 'The record is protected as well.',
      observed: observing(leaving(kept, asked)),
      want: held,
    },
    'removes nothing that no provider knows': {
      reason: 'The record is protected as well, a draft too.',
      observed: observing(aResource({ spec: kept, metadata: { deletionTimestamp } })),
      want: held,
    },
    'sends a claimed DELETE no further': {
      reason: 'Whoever protects it late saves what is left to save.',
      observed: observing(leaving(kept, { event: { type: 'DELETE' } })),
      want: held,
    },
    'records the failure of a DELETE that was under way': {
      reason: 'The attempt is spent.',
      observed: observing(leaving(kept, { event: { type: 'DELETE' } }), {
        unrecorded: { answer: broken, config },
      }),
      want: { do: 'scheduleRetry' },
    },
    'ends when a DELETE that was under way has succeeded': {
      reason: 'Nothing is left to protect.',
      observed: observing(leaving(kept, { event: { type: 'DELETE' } }), {
        unrecorded: { answer: { kind: 'succeeded', outputs: {} }, config },
      }),
      want: { do: 'release' },
    },
    'with its namespace leaves a receipt and sends no DELETE, with a provider': {
      reason: 'Nobody named it; what it stands for stays.',
      observed: observing(leaving(kept), { terminating: true }),
      want: { do: 'abandon', why: 'NamespaceDeleted' },
    },
    'with its namespace leaves a receipt and sends no claimed DELETE': {
      reason: 'The same.',
      observed: observing(leaving(kept, { event: { type: 'DELETE' } }), { terminating: true }),
      want: { do: 'abandon', why: 'NamespaceDeleted' },
    },
    'with its namespace removes what no provider knows': {
      reason: 'Nothing remains outside.',
      observed: observing(aResource({ spec: kept, metadata: { deletionTimestamp } }), {
        terminating: true,
      }),
      want: { do: 'release' },
    },
  });
});
