// Imports: the first event of a resource with `spec.adopt` only looks.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import type { Answer } from '../../../../../src/events/protocol.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import type { UnrecordedAnswer } from '../../../../../src/reconcilers/resource/delivery/unrecorded-answers.ts';
import { wasOnlyImported } from '../../../../../src/reconcilers/resource/imports/import.ts';
import type { Observed } from '../../../../../src/reconcilers/resource/observe.ts';
import { importedStatus } from '../../../../../src/reconcilers/resource/status/imported-status.ts';
import { isPendingImport } from '../../../../../src/store/resources/apply/apply-adopt.ts';
import { contentHashOf } from '../../../../../src/store/resources/content.ts';
import {
  aClaim,
  aResource,
  aStatus,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';
import { found, notThere } from '../../../../support/fixtures/observation/observed-subjects.ts';
import { creatingNew, failedFor } from '../../../../support/fixtures/replacements.ts';

const adopt = { adopt: { id: 'db-1' } };
const importing = (event: object = {}) => inFlight({ type: 'OBSERVE', ...event }, { spec: adopt });
const decided = (resource: Resource, changes: Partial<Observed> = {}) =>
  decide(observing(resource, { observe: true, ...changes }), now, defaultRetryPolicy);
const unrecorded = (answer: Answer): UnrecordedAnswer => ({ answer, config: { name: 'orders' } });
const failed = (
  type: 'CREATE' | 'OBSERVE',
  spec: Partial<Resource['spec']> = {},
  event: Parameters<typeof aClaim>[0] = {},
) => {
  const claim = aClaim({ type, ...event });
  const status = { state: 'failed', reason: 'ProviderFailed', event: claim } as const;
  return { ...aResource({ spec }), status: aStatus(status) };
};
const deletionTimestamp = now.toISOString();
const deleted = (resource: Resource) => ({
  ...resource,
  metadata: { ...resource.metadata, deletionTimestamp },
});
/** The CREATE before the import answered 202, and did not end in time. */
const afterCreate = { createAttempted: true, context: { task: 't-1' } };

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly changes?: Partial<Observed>;
  readonly want: object;
}

const cases: Record<string, Case> = {
  'begins with an OBSERVE': {
    reason: 'An import never creates.',
    resource: aResource({ spec: adopt }),
    want: { do: 'claim', event: { type: 'OBSERVE', attempt: 1 } },
  },
  'begins with an OBSERVE after a CREATE that failed': {
    reason: 'Nothing has succeeded; the object may be there all the same.',
    resource: failed('CREATE', adopt, { context: afterCreate.context }),
    want: { do: 'claim', event: { type: 'OBSERVE', ...afterCreate } },
  },
  'begins again after another adopt': {
    reason: 'It is other content. No CREATE was ever sent.',
    resource: failed('OBSERVE', { adopt: { id: 'db-2' } }),
    want: {
      do: 'claim',
      event: expect.toSatisfy(
        (event) => event.type === 'OBSERVE' && event.createAttempted === undefined,
      ),
    },
  },
  'begins again, and still knows of a CREATE before': {
    reason: 'The claim of each import replaces the one before.',
    resource: failed('OBSERVE', { adopt: { id: 'db-2' } }, afterCreate),
    want: { do: 'claim', event: { type: 'OBSERVE', ...afterCreate } },
  },
  'is retried, and still knows of a CREATE before': {
    reason: 'Its dead letter restarts the same event.',
    resource: failed('OBSERVE', adopt, {
      ...afterCreate,
      content: contentHashOf(aResource({ spec: adopt }).spec),
    }),
    changes: { requeue: 1 },
    want: { do: 'claim', event: { id: 'evt-1', requeued: 1, ...afterCreate } },
  },
  'becomes a CREATE without adopt': {
    reason: 'Somebody decided to create a new one.',
    resource: failed('OBSERVE'),
    want: { do: 'claim', event: { type: 'CREATE' } },
  },
  'is over after a success': {
    reason: 'A change of the config is an ordinary UPDATE.',
    resource: {
      ...readyResource({ spec: adopt, status: { content: 'before' } }),
    },
    want: { do: 'claim', event: { type: 'UPDATE' } },
  },
  'is over when its object was replaced, and the new one could not be created': {
    reason: 'What adopt names is deleted: an OBSERVE would find nothing, whatever is applied.',
    resource: creatingNew({
      ...{ spec: adopt, status: failedFor('ProviderFailed') },
      event: { content: 'before another apply' },
    }),
    want: { do: 'claim', event: { type: 'CREATE', replacement: 1 } },
  },
  'protects what it finds from a deletion without an answer': {
    reason: 'The finalizer precedes the claim, as for each event.',
    resource: aResource({ spec: adopt, metadata: { finalizers: [] } }),
    want: { do: 'protect' },
  },
  'waits for a provider that observes': {
    reason: 'Another one would answer the OBSERVE with an error, again and again.',
    resource: aResource({ spec: adopt }),
    changes: { observe: false },
    want: {
      ...{ do: 'explain', reason: 'NotObservable', stalled: true },
      message:
        'The provider does not observe objects of type postgres/database; deploy a version that does, or remove spec.adopt',
    },
  },
  'is sent like any other event': {
    reason: 'It has a claim, attempts and a dead letter.',
    resource: importing(),
    want: { do: 'send', event: { type: 'OBSERVE', id: 'evt-1' } },
  },
  'records what was found': {
    reason: 'The outputs are those of the object.',
    resource: importing(),
    changes: { unrecorded: unrecorded(found({ name: 'orders' }, { url: 'y' })) },
    want: { do: 'recordImport', event: { type: 'OBSERVE' } },
  },
  'fails when nothing was found': {
    reason: 'It creates nothing instead.',
    resource: importing(),
    changes: { unrecorded: unrecorded(notThere) },
    want: {
      do: 'fail',
      failure: {
        code: 'NOT_FOUND',
        message:
          'Provider postgres found no database for adopt; nothing was created. Correct adopt, or apply without it to create a new one',
      },
    },
  },
  'is tried again after an answer that says nothing': {
    reason: 'Only the explicit answer says that there is no object.',
    resource: importing(),
    changes: {
      unrecorded: unrecorded({ kind: 'failed', terminal: false, code: 'HTTP_503', message: 'no' }),
    },
    want: { do: 'scheduleRetry' },
  },
  'releases the resource when it is deleted meanwhile': {
    reason: 'What nobody made for Fairlead is not deleted.',
    resource: deleted(importing()),
    want: { do: 'release' },
  },
  'releases the resource when it is deleted after the import failed': {
    reason: 'There is nothing that a DELETE could be sent for.',
    resource: deleted(failed('OBSERVE', adopt)),
    want: { do: 'release' },
  },
  'deletes nothing that it did not get, whatever the policy': {
    reason: 'The object may be protected, or of somebody else.',
    resource: deleted(failed('OBSERVE', { ...adopt, deletionPolicy: 'Delete' })),
    want: { do: 'release' },
  },
  'deletes nothing that it was about to get': {
    reason: 'What was found is not recorded: nobody has it.',
    resource: deleted(
      inFlight({ type: 'OBSERVE' }, { spec: { ...adopt, deletionPolicy: 'Delete' } }),
    ),
    changes: { unrecorded: unrecorded(found({ name: 'orders' })) },
    want: { do: 'release' },
  },
  'is followed by a DELETE when a CREATE was sent before it': {
    reason: 'Something of that may exist, which only its context may identify.',
    resource: deleted(failed('OBSERVE', adopt, afterCreate)),
    want: { do: 'claim', event: { type: 'DELETE', context: afterCreate.context } },
  },
  'is followed by that DELETE until it has succeeded': {
    reason: 'The claim of the DELETE replaces what says that there was a CREATE.',
    resource: deleted(inFlight({ type: 'DELETE' }, { spec: adopt })),
    want: { do: 'send', event: { type: 'DELETE' } },
  },
  'leaves what a CREATE before it made, where the policy says so': {
    reason: 'Somebody decided it; a receipt says what may be left.',
    resource: deleted(failed('OBSERVE', { ...adopt, deletionPolicy: 'Orphan' }, afterCreate)),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
  'keeps what it found, also when a CREATE was sent before it': {
    reason: 'What Fairlead did not create it does not delete by accident.',
    resource: deleted(
      readyResource({
        spec: adopt,
        status: { event: aClaim({ type: 'OBSERVE', ...afterCreate }) },
      }),
    ),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
};

it.each(Object.entries(cases))('an import %s', (_name, { reason, resource, changes, want }) => {
  expect(decided(resource, changes), reason).toMatchObject(want);
});

describe('a resource', () => {
  it('is to be imported until something has succeeded', () => {
    const replaced = creatingNew({ spec: adopt });
    const all = [aResource(), aResource({ spec: adopt }), readyResource({ spec: adopt }), replaced];
    expect(all.map(isPendingImport)).toEqual([false, true, false, false]);
  });

  it('was only imported while nothing but an OBSERVE was sent', () => {
    const event = aClaim({ type: 'OBSERVE' });
    const imported = readyResource({ spec: adopt, status: { event } });
    const after = failed('OBSERVE', adopt, afterCreate);
    const all = [aResource(), failed('CREATE'), failed('OBSERVE'), importing(), imported, after];
    expect(all.map(wasOnlyImported)).toEqual([false, false, true, true, false, false]);
  });
});

describe('the status of an import', () => {
  const schema = { properties: { password: { sensitive: true }, size: {} } } satisfies JsonObject;
  const config = { name: 'orders', size: 2, password: 'declared-secret' };

  async function statusOf(answer: Answer, more: Partial<UnrecordedAnswer> = {}) {
    const resource = importing();
    const typeContent = { description: '', schema, observe: true } as Observed['typeContent'];
    const observed = observing(resource, { schema, typeContent, observe: true });
    const event = aClaim({ type: 'OBSERVE', content: observed.content });
    const given = { config, ...more, answer } as UnrecordedAnswer<'observed'>;
    return await importedStatus({ event, unrecorded: given }, observed, secondsLater(9));
  }

  it('is ready, with the outputs, and with the declared config as the applied one', async () => {
    const { status, reason, message } = await statusOf(found({ ...config }, { url: 'y' }));
    expect(status).toMatchObject({
      ...{ state: 'ready', reason: 'Imported', outputs: { url: 'y' }, appliedConfig: config },
      appliedSecrets: ['/password'],
    });
    expect(status).not.toHaveProperty('drift');
    expect([reason, message]).toEqual(['Imported', 'Observed as declared: 2 values compared']);
  });

  it('has what differs as drift, without secrets', async () => {
    const { status } = await statusOf(found({ name: 'declared-secret', size: 3, password: 'x' }));
    expect(status).toMatchObject({
      ...{ state: 'ready', reason: 'Drifted' },
      drift: {
        ...{ since: secondsLater(9).toISOString(), kind: 'Changed', total: 2, compared: 2 },
        changes: [{ path: '/name' }, { path: '/size', declared: '2', actual: '3' }],
      },
    });
    expect(JSON.stringify(status.drift)).not.toContain('declared-secret');
  });

  it('says what could not be observed', async () => {
    const { message } = await statusOf(found({ size: 2 }));
    expect(message).toBe('Observed as declared: 1 value compared; 1 could not be observed');
  });

  it('is pending when the content changed meanwhile', async () => {
    const resource = importing();
    const event = aClaim({ type: 'OBSERVE', content: 'before' });
    const given = unrecorded(found({ name: 'orders', size: 3 })) as UnrecordedAnswer<'observed'>;
    const { status } = await importedStatus({ event, unrecorded: given }, observing(resource), now);
    expect(status).toMatchObject({ state: 'pending', reason: 'Queued', content: 'before' });
    expect(status).not.toHaveProperty('drift');
  });
});
