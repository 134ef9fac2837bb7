// What is the case now, whatever was written before: attempts under way, providers and types that are there again.
import { expect, it } from 'vitest';
import { aClaim } from '../../support/fixtures/builders.ts';
import { named, since, uses } from '../../support/fixtures/explanation/explained-resources.ts';
import {
  available,
  explained,
  served,
  unserved,
} from '../../support/fixtures/explanation/explanations.ts';

const refused = 'handler_error: connect ECONNREFUSED';
const firstError = { attempt: 1, error: refused, failedAt: since };
const retried = ({ reason, nextAttemptAt }: { reason: string; nextAttemptAt: string }) =>
  named('shop', {
    state: 'processing',
    reason,
    error: refused,
    event: { ...aClaim({ attempt: 2, errors: [firstError] }), nextAttemptAt },
  });

const cases: Record<string, [ReturnType<typeof explained>, object]> = {
  'one that waits for its next attempt': [
    explained([retried({ reason: 'RetryScheduled', nextAttemptAt: '2026-01-01T00:01:27.000Z' })]),
    {
      summary:
        'postgres/database/shop is processing: attempt 2 of 5 follows in 3 s; the attempt before failed because provider postgres could not process its event.',
      state: 'processing',
      reason: 'RetryScheduled',
      chain: [
        { kind: 'provider', state: 'failed', reason: 'RetryScheduled', message: refused },
        { kind: 'resource', message: 'Attempt 2 of 5 follows in 3 s' },
      ],
      event: {
        ...{ attempt: 2, maxAttempts: 5, nextAttemptAt: '2026-01-01T00:01:27.000Z' },
        errors: [firstError],
      },
      next: [{ do: 'wait', until: '2026-01-01T00:01:27.000Z' }, { do: 'read_logs' }],
    },
  ],
  'an attempt whose handler reports progress': [
    explained([
      named('shop', {
        state: 'processing',
        reason: 'Processing',
        event: aClaim({ progress: { done: 2, total: 8, message: 'Copying' } }),
      }),
    ]),
    {
      summary: expect.stringMatching(
        /^postgres\/database\/shop is processing: 2 of 8 \(25 %\): Copying; attempt 1 of 5 has been due for /,
      ),
      event: { progress: { done: 2, total: 8, message: 'Copying' } },
    },
  ],
  'an operation that says how far it is': [
    explained([
      named('shop', {
        state: 'processing',
        reason: 'InProgress',
        message: 'Copying',
        event: aClaim({
          acceptedAt: since,
          nextAttemptAt: '2026-01-01T00:01:27.000Z',
          progress: { done: 2, message: 'Copying' },
        }),
      }),
    ]),
    {
      chain: [
        {
          message: '2 done: Copying; attempt 1 of 5 goes on: the provider is asked again in 3 s',
        },
      ],
    },
  ],
  'an attempt that follows, after the provider it waited for is there again': [
    explained([
      retried({ reason: 'WaitingForProvider', nextAttemptAt: '2026-01-01T00:01:27.000Z' }),
    ]),
    {
      reason: 'RetryScheduled',
      chain: [
        { kind: 'provider', state: 'failed', reason: 'RetryScheduled' },
        { kind: 'resource', message: 'Attempt 2 of 5 follows in 3 s' },
      ],
      next: [{ do: 'wait', until: '2026-01-01T00:01:27.000Z' }, { do: 'read_logs' }],
    },
  ],
  'an attempt under way, whatever was written before it began': [
    explained([retried({ reason: 'WaitingForProvider', nextAttemptAt: since })]),
    {
      summary:
        'postgres/database/shop is processing: attempt 2 of 5 has been running for 24 s; its limit is 30 s; the attempt before failed because provider postgres could not process its event.',
      reason: 'Processing',
      chain: [
        { kind: 'provider', state: 'failed', reason: 'RetryScheduled', since: null },
        { kind: 'resource', state: 'processing', reason: 'Processing', since },
      ],
      event: { attempt: 2, nextAttemptAt: since, dueSince: since, limitSeconds: 30 },
      next: [{ do: 'wait' }, { do: 'read_logs' }],
    },
  ],
  'an attempt that waited for its provider until it began': [
    explained([
      named('shop', {
        state: 'processing',
        reason: 'Processing',
        event: aClaim({ startedAt: '2026-01-01T00:00:00.000Z', begunAt: since }),
      }),
    ]),
    {
      summary:
        'postgres/database/shop is processing: attempt 1 of 5 has been running for 24 s; its limit is 30 s.',
      event: { dueSince: since },
    },
  ],
  'one whose provider asked to wait': [
    explained([
      named('shop', {
        state: 'processing',
        reason: 'RateLimited',
        event: {
          ...aClaim({ attempt: 1, nextAttemptAt: '2026-01-01T00:01:27.000Z' }),
          hold: { since, scope: 'Resource' },
        },
      }),
    ]),
    {
      summary:
        'postgres/database/shop is processing: attempt 1 of 5 follows in 3 s, as the provider asked.',
      reason: 'RateLimited',
      next: [{ do: 'wait', until: '2026-01-01T00:01:27.000Z' }],
    },
  ],
  'one whose provider refuses its settings': [
    explained(
      [
        named('shop', {
          state: 'processing',
          reason: 'SettingsRefused',
          event: {
            ...aClaim({ attempt: 2, nextAttemptAt: '2026-01-01T00:01:27.000Z' }),
            hold: { since, scope: 'Provider' },
          },
        }),
      ],
      { delivery: { ...served, areSettingsRefused: true } },
    ),
    {
      summary: 'postgres/database/shop is processing: attempt 2 of 5 follows in 3 s.',
      reason: 'SettingsRefused',
      next: [{ do: 'set_settings', provider: 'postgres', settings: [] }],
    },
  ],
  'one that waits behind it': [
    explained([retried({ reason: 'Processing', nextAttemptAt: since })], {
      delivery: { ...served, heldUp: 'because …', areSettingsRefused: true },
    }),
    { next: [{ do: 'set_settings', provider: 'postgres', settings: [] }] },
  ],
  'one of a caller who may not see the provider': [
    explained([retried({ reason: 'SettingsRefused', nextAttemptAt: '2026-01-01T00:01:27.000Z' })], {
      confined: true,
    }),
    { next: [{ do: 'ask_administrator', provider: 'postgres' }] },
  ],
  'an attempt that waits for others': [
    explained([retried({ reason: 'Processing', nextAttemptAt: since })], {
      delivery: { ...served, heldUp: 'and is under way or waits for its turn' },
    }),
    {
      summary:
        'postgres/database/shop is processing: attempt 2 of 5 has been due for 24 s, and is under way or waits for its turn; the attempt before failed because provider postgres could not process its event.',
    },
  ],
  'an attempt that is due for longer than its limit': [
    explained([retried({ reason: 'Processing', nextAttemptAt: since })], {
      delivery: { ...served, limitSeconds: 10 },
    }),
    {
      summary: expect.stringContaining(
        'attempt 2 of 5 has been due for 24 s, longer than its limit of 10 s; it waits for its turn, or no controller is running',
      ),
    },
  ],
  'an attempt that is due while no pod takes events': [
    explained([retried({ reason: 'RetryScheduled', nextAttemptAt: since })], {
      delivery: unserved,
      provider: { ...available, state: 'progressing', reason: 'Progressing', message: 'Boom' },
    }),
    {
      summary:
        'postgres/database/shop is processing: attempt 2 of 5 has been due for 24 s, and is under way or waits for provider postgres; provider postgres is not ready.',
      chain: [
        { kind: 'provider', state: 'pending', reason: 'Progressing', message: 'Boom' },
        { kind: 'resource', reason: 'Processing' },
      ],
      next: [{ do: 'wait' }, { do: 'read_logs', provider: 'postgres' }],
    },
  ],
  'an operation that the provider has accepted': [
    explained([
      named('shop', {
        state: 'processing',
        reason: 'InProgress',
        message: 'Creating the disk',
        event: {
          ...aClaim({ acceptedAt: since }),
          nextAttemptAt: '2026-01-01T00:01:34.000Z',
        },
      }),
    ]),
    {
      reason: 'InProgress',
      chain: [
        {
          message: 'Creating the disk. Attempt 1 of 5 goes on: the provider is asked again in 10 s',
        },
      ],
    },
  ],
  'one that waits no longer, because its provider is ready': [
    explained([named('shop', { state: 'pending', reason: 'WaitingForProvider' })]),
    {
      reason: 'Queued',
      chain: [{ kind: 'resource', reason: 'Queued', message: expect.stringContaining('is ready') }],
      next: [{ do: 'wait' }],
    },
  ],
  'one that is not paused any more': [
    explained([named('shop', { state: 'pending', reason: 'Paused' })]),
    { reason: 'Queued', next: [{ do: 'wait' }] },
  ],
  'one whose type is registered again': [
    explained([named('shop', { state: 'pending', reason: 'TypeNotRegistered' })]),
    { reason: 'Queued', chain: [{ kind: 'resource', reason: 'Queued' }], next: [{ do: 'wait' }] },
  ],
  'one whose dependencies are ready by now': [
    explained([named('shop', { state: 'pending', reason: 'DependencyFailed', message: 'x' })]),
    { reason: 'Queued', chain: [{ kind: 'resource', message: expect.not.stringContaining('x') }] },
  ],
  'one whose missing dependency has been applied meanwhile': [
    explained([
      named('shop', { state: 'pending', reason: 'DependencyMissing', spec: uses('seller') }),
      named('seller', { state: 'pending', reason: 'Queued' }),
    ]),
    { reason: 'DependenciesNotReady', chain: [{ kind: 'resource' }, { message: null }] },
  ],
  'a suspect of a crash, which is not blamed': [
    explained([
      named('shop', {
        state: 'processing',
        reason: 'RetryScheduled',
        error: 'CRASHED: Error: Boom (index.ts:15)',
        event: { ...aClaim({ crash: 'Suspect' }), nextAttemptAt: since },
      }),
    ]),
    {
      summary: expect.stringContaining(
        'the process of provider postgres ended during its event and others',
      ),
      next: [{ do: 'wait' }, { do: 'read_logs', previous: true }],
    },
  ],
};

it.each(Object.entries(cases))('explains %s', (_name, [explanation, want]) => {
  expect(explanation).toMatchObject(want);
});
