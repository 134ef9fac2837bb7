import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { type DeadLetterState, deadLetterState } from '../../../../src/store/dead-letters/state.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { aResource, inFlight, readyResource } from '../../../support/fixtures/builders.ts';
import { aDeadLetter } from '../../../support/fixtures/dead-letters/dead-letter-builders.ts';

const deadLetter = aDeadLetter(1);
const deletion = aDeadLetter(1, { eventType: 'DELETE' });
const id = deadLetter.eventId;
const deletionTimestamp = '2026-01-01T00:00:00Z';
const failedStatus = { state: 'failed', reason: 'ProviderFailed' } as const;
const failed = inFlight({ id }, { status: failedStatus });
const asked = { annotations: { [annotation.requeue]: `${id}/1` } };
const deleting = (reason: string) =>
  inFlight(
    { id, type: 'DELETE' },
    { metadata: { deletionTimestamp }, status: { state: 'deleting', reason } },
  );

const other = aResource({ spec: { config: { name: 'other' }, replace: 1 } }).spec;
const replacing = (status = {}) =>
  inFlight(
    { id, type: 'DELETE', replacement: 1 },
    {
      spec: { replace: 1 },
      status: { replaced: 1, appliedConfig: { name: 'old' }, ...status },
    },
  );

const cases: Record<string, [DeadLetterState, Resource | undefined, typeof deadLetter?]> = {
  'live when its resource failed with its event': ['live', failed],
  'superseded when its resource is gone': ['superseded', undefined],
  'live when its resource was restored from a backup': [
    'live',
    { ...failed, metadata: { ...failed.metadata, uid: 'uid-2' } },
  ],
  'superseded when another event was claimed': ['superseded', inFlight({ id: 'evt-2' })],
  'superseded when its event succeeded in the end': [
    'superseded',
    readyResource({ status: { event: inFlight({ id }).status?.event } }),
  ],
  'superseded when other content was applied': [
    'superseded',
    { ...failed, spec: aResource({ spec: { config: { name: 'other' } } }).spec },
  ],
  'superseded when its resource is being deleted': [
    'superseded',
    { ...failed, metadata: { ...failed.metadata, deletionTimestamp } },
  ],
  'under way while its failure is not recorded yet': ['underWay', inFlight({ id })],
  'under way when its event is to be begun again': [
    'underWay',
    inFlight({ id }, { status: failedStatus, metadata: asked }),
  ],
  'under way while its event runs again': [
    'underWay',
    inFlight({ id, requeued: 1 }, { metadata: asked }),
  ],
  'live when its event failed once more': [
    'live',
    inFlight({ id, requeued: 1 }, { status: failedStatus, metadata: asked }),
  ],
  'live when the deletion of its resource failed': ['live', deleting('DeleteFailed'), deletion],
  'under way while the deletion of its resource runs': ['underWay', deleting('Deleting'), deletion],
  'live when the DELETE of a replacement failed': ['live', replacing(failedStatus), deletion],
  'under way while the failure of that DELETE is not recorded yet': [
    'underWay',
    replacing(),
    deletion,
  ],
  'superseded when other content was applied instead of that DELETE': [
    'superseded',
    { ...replacing(failedStatus), spec: other },
    deletion,
  ],
  'superseded when another replacement was requested': [
    'superseded',
    { ...replacing(failedStatus), spec: aResource({ spec: { replace: 2 } }).spec },
    deletion,
  ],
  'superseded when a deletion took the place of that DELETE': [
    'superseded',
    {
      ...replacing(failedStatus),
      metadata: { ...aResource().metadata, deletionTimestamp },
    },
    deletion,
  ],
  'superseded when the change of its resource was refused when it was retried': [
    'superseded',
    inFlight({ id }, { status: { state: 'failed', reason: 'ImmutableField' } }),
  ],
};

describe('a dead letter is', () => {
  it.each(Object.entries(cases))('%s', (_name, [state, resource, subject = deadLetter]) => {
    expect(deadLetterState(subject, resource)).toBe(state);
  });
});
