// The next steps after each kind of failure, and for each role.
import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import type { NextStep } from '../../../src/explanation/facts.ts';
import { aClaim } from '../../support/fixtures/builders.ts';
import { named, uses } from '../../support/fixtures/explanation/explained-resources.ts';
import {
  absent,
  available,
  confinedEditor,
  explained,
  letter,
  unserved,
  viewer,
} from '../../support/fixtures/explanation/explanations.ts';

const failed = (reason: string, error: string, attempt = 1): Resource =>
  named('shop', { state: 'failed', reason, error, event: aClaim({ attempt }) });
const refusedDeletion = named('shop', {
  state: 'deleting',
  reason: 'DeleteFailed',
  error: 'locked: The thing is locked by legal hold',
  event: aClaim({ type: 'DELETE' }),
  metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
});
const waiting = (reason: string) => named('shop', { state: 'pending', reason });
const mistyped = named('shop', {
  state: 'pending',
  reason: 'DependencyMissing',
  spec: uses('selller'),
});

const tooOld = named('shop', {
  state: 'deleting',
  reason: 'VersionTooOld',
  metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
  spec: { typeVersion: 2 },
});

const taken = (steps: readonly NextStep[]) => steps.map((step) => step.do);
const shop = 'postgres/database/shop';

const cases: Record<string, { reason: string; given: readonly NextStep[]; want: object[] }> = {
  'a refusal is edited, and not retried': {
    reason: 'The same config would be refused again, and a refusal logs nothing.',
    given: explained([failed('ProviderFailed', 'nobody: Nobody can be greeted')], {
      deadLetter: letter,
    }).next,
    want: [
      {
        do: 'edit',
        resource: shop,
        why: expect.stringContaining(
          'A rule in the code of postgres 20260101.000000 refuses this config',
        ),
      },
    ],
  },
  'what has lost its type can go and leave its object': {
    reason: 'An ordinary deletion waits for the type.',
    given: explained([failed('TypeRetired', 'TYPE_RETIRED: Type postgres/database is retired')], {
      provider: { ...available, previousVersion: null },
    }).next,
    want: [{ do: 'push' }, { do: 'apply' }, { do: 'orphan', resource: shop }],
  },
  'what a newer version stored is deleted by it, or leaves its object': {
    reason: 'The version that serves would refuse the deletion again.',
    given: explained([tooOld], {
      provider: { ...available, readingVersion: '20260102.000000' },
    }).next,
    want: [
      {
        do: 'deploy',
        provider: 'postgres',
        version: '20260102.000000',
        why: expect.stringContaining('that has version 2 of type database'),
      },
      { do: 'orphan', resource: shop },
    ],
  },
  'what a newer version stored needs its code, where no build is left': {
    reason: 'There is nothing to deploy.',
    given: explained([tooOld], { provider: available }).next,
    want: [{ do: 'push', provider: 'postgres' }, { do: 'orphan' }],
  },
  'the end of a process is looked up in the log of its pod, which lives on': {
    reason: 'Nothing was restarted, and the last lines belong to no resource.',
    given: explained([failed('AttemptsExhausted', 'crashed: Error: Boom (index.ts:15)', 5)], {
      deadLetter: letter,
    }).next,
    want: [
      { do: 'read_dead_letter', eventId: 'evt-1' },
      { do: 'read_logs', provider: 'postgres', since: '2026-01-01T00:00:00.000Z' },
      { do: 'retry_dead_letters' },
    ],
  },
  'the end of a pod is looked up in the container that ended': {
    reason: 'The one that runs now knows nothing of it.',
    given: explained([failed('AttemptsExhausted', 'CRASHED: Error: Boom (index.ts:15)', 5)], {
      deadLetter: letter,
    }).next,
    want: [
      { do: 'read_dead_letter', eventId: 'evt-1' },
      { do: 'read_logs', provider: 'postgres', previous: true },
      { do: 'retry_dead_letters' },
    ],
  },
  'a lost connection is explained by the event that ended the process': {
    reason: 'The event itself is innocent.',
    given: explained([failed('AttemptsExhausted', 'CONNECTION_LOST: lost', 5)], {
      deadLetter: letter,
      culprit: 'postgres/database/crash',
    }).next,
    want: [{ do: 'explain', resource: 'postgres/database/crash' }, { do: 'retry_dead_letters' }],
  },
  'no answer is looked up in the log of the provider, from the claim on': {
    reason: 'The handler may have logged nothing for this resource.',
    given: explained([failed('AttemptsExhausted', 'TIMEOUT: no answer within 30 s', 5)], {
      deadLetter: letter,
    }).next,
    want: [
      { do: 'read_logs', provider: 'postgres', since: '2026-01-01T00:00:00.000Z' },
      { do: 'retry_dead_letters' },
    ],
  },
  'a provider that runs elsewhere has no log here': {
    reason: 'The command would end with an error.',
    given: explained([failed('AttemptsExhausted', 'TIMEOUT: no answer within 30 s', 5)], {
      deadLetter: letter,
      provider: { ...available, external: true, version: null, reason: 'ExternalEndpoint' },
    }).next,
    want: [{ do: 'retry_dead_letters' }],
  },
  'outputs that cannot be used are corrected in the code': {
    reason: 'The same code gives the same answer.',
    given: explained([failed('ProviderFailed', 'invalid_outputs: url: expected string')], {
      deadLetter: letter,
    }).next,
    want: [
      { do: 'push', provider: 'postgres' },
      { do: 'read_logs', resource: shop },
      { do: 'retry_dead_letters' },
    ],
  },
  'a config that does not fit is edited': {
    reason: 'Nothing was sent, so there is no log, and a retry sends the same.',
    given: explained([failed('UnknownOutput', 'UNKNOWN_OUTPUT: seller has no output "x"')], {
      deadLetter: letter,
    }).next,
    want: [{ do: 'edit', resource: shop }],
  },
  'an import of a taken object is corrected, or retried when it is free': {
    reason: 'Nothing was sent, and the config may be right.',
    given: explained(
      [failed('ObjectTaken', 'OBJECT_TAKEN: Resource a/b/c stands for the object')],
      { deadLetter: letter, delivery: unserved },
    ).next,
    want: [
      { do: 'edit', resource: shop, why: expect.stringContaining('correct adopt') },
      { do: 'retry_dead_letters', why: expect.stringContaining('once the other resource is gone') },
    ],
  },
  'a refused deletion is not edited': {
    reason: 'What is being deleted cannot be changed.',
    given: explained([refusedDeletion], { deadLetter: letter }).next,
    want: [
      { do: 'ask_administrator', provider: 'postgres' },
      { do: 'retry_dead_letters' },
      { do: 'force_delete', resource: shop },
    ],
  },
  'a refused deletion without a dead letter is deleted again': {
    reason: 'An apply is refused while it is deleted.',
    given: explained([refusedDeletion]).next,
    want: [{ do: 'ask_administrator' }, { do: 'delete', resource: shop }, { do: 'force_delete' }],
  },
  'a retry waits for the provider, which comes first': {
    reason: 'Nothing would take the event.',
    given: explained([failed('AttemptsExhausted', 'UNREACHABLE: refused', 5)], {
      deadLetter: letter,
      delivery: unserved,
      provider: {
        ...absent,
        build: { jobName: 'b', version: '1', phase: 'success', error: null, since: null },
      },
    }).next,
    want: [{ do: 'deploy', version: '1' }, { do: 'retry_dead_letters' }],
  },
  'a provider without any build is pushed': {
    reason: 'There is nothing to deploy.',
    given: explained([waiting('WaitingForProvider')], { delivery: unserved, provider: absent })
      .next,
    want: [{ do: 'push', provider: 'postgres' }],
  },
  'a setting that was set since is corrected, and no code is rolled back': {
    reason: 'The older code would get the same value.',
    given: explained([waiting('WaitingForProvider')], {
      delivery: unserved,
      provider: {
        ...available,
        state: 'failed',
        reason: 'DeploymentFailed',
        previousVersion: '20251231.000000',
        newSettings: ['url'],
      },
    }).next,
    want: [{ do: 'read_logs' }, { do: 'set_settings', settings: ['url'] }],
  },
  'settings with which a provider cannot run are corrected, and no code is rolled back': {
    reason: 'The older code would get the same value.',
    given: explained([waiting('WaitingForProvider')], {
      delivery: unserved,
      provider: {
        ...available,
        state: 'failed',
        reason: 'DeploymentFailed',
        previousVersion: '20251231.000000',
        message: 'Provider shop cannot run: the settings do not work: wrong password',
      },
    }).next,
    want: [{ do: 'read_logs' }, { do: 'set_settings', settings: [] }],
  },
  'a mistyped dependency leads to the name that was meant': {
    reason: 'What waits cannot be edited: the API refuses it.',
    given: explained([mistyped], { meant: 'postgres/database/seller' }).next,
    want: [
      {
        do: 'delete',
        resource: shop,
        why: expect.stringContaining('did you mean postgres/database/seller?'),
      },
      { do: 'apply', resource: 'postgres/database/selller' },
    ],
  },
  'a viewer is told whom to ask, once': {
    reason: 'Each command would end with 403.',
    given: explained(
      [failed('ProviderFailed', 'nobody: Nobody can be greeted')],
      { deadLetter: letter },
      viewer,
    ).next,
    want: [
      {
        do: 'ask_editor',
        resource: shop,
        why: expect.stringMatching(/; ask an editor of the organization$/),
      },
    ],
  },
  'a viewer reads what shows the failure': {
    reason: 'Reading is permitted.',
    given: explained(
      [failed('AttemptsExhausted', 'handler_error: ECONNREFUSED', 5)],
      { deadLetter: letter },
      viewer,
    ).next,
    want: [{ do: 'ask_editor' }, { do: 'read_logs', resource: shop }],
  },
  'a token of one project gets no step of the organization': {
    reason: 'It sees neither logs nor dead letters.',
    given: explained(
      [failed('AttemptsExhausted', 'handler_error: ECONNREFUSED', 5)],
      { provider: undefined, confined: true },
      confinedEditor,
    ).next,
    want: [{ do: 'apply', resource: shop }],
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, given, want }) => {
  expect(given, reason).toMatchObject(want);
  expect(taken(given), reason).toHaveLength(want.length);
});
