// Explanations from observed facts: chain, sentence and next steps for each way in which a resource waits or fails.
import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { aClaim, readyResource } from '../../support/fixtures/builders.ts';
import {
  failedSeller,
  named,
  since,
  uses,
} from '../../support/fixtures/explanation/explained-resources.ts';
import {
  absent,
  available,
  confinedEditor,
  explained,
  letter,
  served,
  unserved,
} from '../../support/fixtures/explanation/explanations.ts';

const refused = 'handler_error: connect ECONNREFUSED';
const shop = named('shop', { state: 'pending', reason: 'DependencyFailed', spec: uses('seller') });

const skew =
  'clock_skew: The clock of the provider is 90 s ahead of that of Fairlead: its time is 2026-01-01T00:02:30Z, the event was signed at 2026-01-01T00:01:00Z';
const lines = Array.from({ length: 12 }, (_each, at) => `line ${at}`);
const refusing = named('shop', {
  state: 'failed',
  reason: 'ProviderFailed',
  error: 'nobody: Nobody can be greeted',
  event: aClaim(),
});
const skewed = named('shop', {
  state: 'processing',
  reason: 'RetryScheduled',
  error: skew,
  event: aClaim({ attempt: 2, nextAttemptAt: '2026-01-01T00:01:44.000Z' }),
});
const correctClock = {
  do: 'ask_administrator',
  provider: 'postgres',
  why: expect.stringMatching(/^An administrator corrects the clock of the node /),
};

const cases: Record<string, [ReturnType<typeof explained>, object]> = {
  'one that is ready': [
    explained([readyResource()]),
    {
      summary: 'postgres/database/orders is ready.',
      chain: [{ kind: 'resource', state: 'ready' }],
      event: undefined,
      next: [],
    },
  ],
  'one that waits for one that failed': [
    explained([shop, failedSeller], { deadLetter: letter }),
    {
      summary:
        'postgres/database/shop is pending because postgres/database/seller, which it uses for config.owner, has failed; the cause is that provider postgres could not process its event.',
      state: 'pending',
      chain: [
        { kind: 'provider', ref: 'postgres', state: 'failed', message: refused },
        {
          kind: 'resource',
          ref: 'postgres/database/seller',
          state: 'failed',
          reason: 'AttemptsExhausted',
          message: null,
          since,
          via: 'config.owner',
        },
        { kind: 'resource', ref: 'postgres/database/shop', state: 'pending', via: null },
      ],
      event: undefined,
      deadLetter: letter,
      next: [
        { do: 'retry_dead_letters', cause: '0f1e2d3c4b5a', provider: 'postgres' },
        { do: 'read_logs', provider: 'postgres', resource: 'postgres/database/seller' },
      ],
    },
  ],
  'one that failed, for a token that is confined to a project': [
    explained([failedSeller], { provider: undefined, confined: true }, confinedEditor),
    {
      summary:
        'postgres/database/seller has failed because provider postgres could not process its event.',
      event: { eventId: 'evt-1', attempt: 5, maxAttempts: 5, nextAttemptAt: null, errors: [] },
      next: [{ do: 'apply', resource: 'postgres/database/seller' }],
    },
  ],
  'one that uses what does not exist': [
    explained([named('shop', { state: 'pending', reason: 'DependencyMissing', spec: uses('x') })]),
    {
      summary:
        'postgres/database/shop is pending because postgres/database/x, which it uses for config.owner, does not exist.',
      chain: [
        { ref: 'postgres/database/x', state: 'missing', via: 'config.owner', since: null },
        { ref: 'postgres/database/shop' },
      ],
      next: [{ do: 'apply', resource: 'postgres/database/x' }],
    },
  ],
  'one that uses a resource of another project': [
    explained([
      named('shop', { state: 'pending', reason: 'DependencyInOtherProject', spec: uses('till') }),
      named('till', { state: 'failed', message: 'canary', spec: { project: 'other' } }),
    ]),
    {
      chain: [
        { ref: 'postgres/database/till', state: 'other_project', message: null, since: null },
        { ref: 'postgres/database/shop' },
      ],
      next: [{ do: 'delete', resource: 'postgres/database/shop' }],
    },
  ],
  'one that declares a draft as its dependency': [
    explained([
      named('shop', {
        state: 'pending',
        reason: 'DependencyDraft',
        spec: {
          dependencies: [{ provider: 'postgres', resource: 'database', name: 'seller' }],
        },
      }),
      named('seller', { spec: { lifecycle: 'Draft' } }),
    ]),
    {
      chain: [{ state: 'draft', via: 'dependencies' }, { state: 'pending' }],
      next: [{ do: 'apply', resource: 'postgres/database/seller' }],
    },
  ],
  'one whose provider was never deployed, and whose build failed': [
    explained([named('shop', { state: 'pending', reason: 'WaitingForProvider' })], {
      delivery: unserved,
      provider: {
        ...absent,
        build: { jobName: 'postgres-1', version: '1', phase: 'failed', error: 'npm ci', since },
      },
    }),
    {
      summary:
        'postgres/database/shop is pending because provider postgres was never deployed; the cause is that build postgres-1 has failed.',
      chain: [
        { kind: 'build', ref: 'postgres-1', state: 'failed', message: 'npm ci' },
        { kind: 'provider', state: 'missing' },
        { kind: 'resource' },
      ],
      next: [{ do: 'read_build_logs', provider: 'postgres', jobName: 'postgres-1' }],
    },
  ],
  'one whose provider crashes': [
    explained([named('shop', { state: 'pending', reason: 'WaitingForProvider' })], {
      delivery: unserved,
      provider: {
        ...available,
        state: 'failed',
        reason: 'DeploymentFailed',
        message: 'exit code 1',
        previousVersion: '20251231.000000',
      },
    }),
    {
      chain: [
        { kind: 'deployment', ref: 'postgres 20260101.000000', message: 'exit code 1' },
        { kind: 'provider', state: 'failed' },
        { kind: 'resource' },
      ],
      next: [{ do: 'read_logs' }, { do: 'rollback', version: '20251231.000000' }],
    },
  ],
  'one whose provider waits for settings': [
    explained([named('shop', { state: 'pending', reason: 'WaitingForProvider' })], {
      delivery: unserved,
      provider: {
        ...available,
        state: 'failed',
        reason: 'SettingsMissing',
        message: 'url is not set',
        missingSettings: ['url'],
      },
    }),
    { next: [{ do: 'set_settings', provider: 'postgres', settings: ['url'] }] },
  ],
  'one whose type is not registered': [
    explained([named('shop', { state: 'pending', reason: 'TypeNotRegistered' })], {
      delivery: { ...served, isRegistered: false },
    }),
    {
      chain: [{ kind: 'type', ref: 'postgres/database', state: 'missing' }, { kind: 'resource' }],
      next: [{ do: 'register_type', provider: 'postgres', type: 'database' }],
    },
  ],
  'one that is paused': [
    explained([named('shop', { state: 'pending', reason: 'Paused', spec: { paused: true } })]),
    {
      reason: 'Paused',
      summary: 'postgres/database/shop is pending: it is paused.',
      next: [{ do: 'resume', resource: 'postgres/database/shop' }],
    },
  ],
  'one that is to be replaced, and is protected': [
    explained([
      named('shop', { state: 'pending', reason: 'Protected', spec: { protected: true } }),
    ]),
    {
      summary: 'postgres/database/shop is pending: it is protected.',
      next: [{ do: 'unprotect', resource: 'postgres/database/shop' }],
    },
  ],
  'one whose immutable field was changed': [
    explained([named('shop', { state: 'failed', reason: 'ImmutableField' })]),
    {
      summary: 'postgres/database/shop has failed: a field that cannot change has another value.',
      next: [{ do: 'edit' }, { do: 'replace', resource: 'postgres/database/shop' }],
    },
  ],
  'one whose provider is ready, but has no pod for the moment': [
    explained([named('shop', { state: 'pending', reason: 'WaitingForProvider' })], {
      delivery: unserved,
    }),
    {
      chain: [
        { kind: 'provider', state: 'pending', reason: 'WaitingForProvider' },
        { kind: 'resource' },
      ],
      next: [{ do: 'wait' }],
    },
  ],
  'one that is in use while it is deleted': [
    explained(
      [
        named('shop', {
          state: 'deleting',
          reason: 'InUse',
          metadata: { deletionTimestamp: since },
        }),
      ],
      { users: ['a/b/c', 'a/b/d'] },
    ),
    {
      summary: 'postgres/database/shop is being deleted, but 2 resources use it.',
      next: [{ do: 'delete_users' }, { do: 'force_delete' }],
    },
  ],
  'one over the quota': [
    explained([named('shop', { state: 'pending', reason: 'QuotaExceeded', message: '64Mi' })]),
    {
      summary: 'postgres/database/shop is pending because the organization has reached a limit.',
      chain: [{ kind: 'quota', state: 'exhausted', message: '64Mi' }, { kind: 'resource' }],
      next: [{ do: 'ask_administrator' }],
    },
  ],
  'one that its provider refuses': [
    explained([refusing], { deadLetter: letter }),
    {
      summary: 'postgres/database/shop has failed because provider postgres refused its config.',
      chain: [
        { kind: 'provider', state: 'refused' },
        { kind: 'resource', state: 'failed' },
      ],
    },
  ],
  'one whose dead letter has lines, by the last ten': [
    explained([failedSeller], { deadLetter: { ...letter, log: lines } }),
    { log: lines.slice(2) },
  ],
  'one whose provider has another time': [
    explained([skewed], { provider: { ...available, skewedSince: since } }),
    {
      summary:
        'postgres/database/shop is processing: attempt 2 of 5 follows in 20 s; the attempt before failed because the clocks of provider postgres and of Fairlead differed.',
      chain: [
        { kind: 'provider', state: 'failed', reason: 'ClockSkew', message: skew, since },
        { kind: 'resource', state: 'processing' },
      ],
      next: [correctClock, { do: 'wait' }],
    },
  ],
  'one whose provider has the right time again': [
    explained([skewed]),
    { chain: [{ reason: 'ClockSkew', message: skew, since: null }, {}], next: [{ do: 'wait' }] },
  ],
  'one whose handler fails with the code of a clock': [
    explained([
      { ...refusing, status: { ...refusing.status, error: 'clock_skew: no' } } as Resource,
    ]),
    { chain: [{ state: 'refused', reason: 'ProviderFailed' }, {}], next: [{ do: 'edit' }] },
  ],
  'one that failed because its provider had another time': [
    explained(
      [
        named('shop', {
          state: 'failed',
          reason: 'AttemptsExhausted',
          error: skew,
          event: aClaim({ attempt: 5 }),
        }),
      ],
      { deadLetter: letter, provider: { ...available, skewedSince: since } },
    ),
    {
      chain: [{ reason: 'ClockSkew' }, { reason: 'AttemptsExhausted', message: null }],
      next: [correctClock, { do: 'retry_dead_letters' }],
    },
  ],
  'one without a project': [
    explained([named('shop', { state: 'pending', reason: 'NoProject', spec: { project: 'p' } })]),
    {
      chain: [{ kind: 'project', ref: 'p', state: 'missing' }, { kind: 'resource' }],
      next: [{ do: 'create_project', projectId: 'p' }, { do: 'delete' }],
    },
  ],
};

it.each(Object.entries(cases))('explains %s', (_name, [explanation, want]) => {
  expect(explanation).toMatchObject(want);
});
