import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { annotationsFor } from '../../../../src/store/resources/deletion.ts';
import { aClaim, aResource } from '../../../support/fixtures/builders.ts';

const failed = (type: 'CREATE' | 'DELETE', status: Partial<Resource['status'] & object>) =>
  aResource({ status: { event: aClaim({ id: 'evt-1', type, requeued: 1 }), ...status } });
const forced = aResource({ metadata: { annotations: { [annotation.forceDeletion]: 'true' } } });
const doubtful = aResource({ metadata: { annotations: { [annotation.forceDeletion]: 'no' } } });
const orphaned = aResource({ metadata: { annotations: { [annotation.orphanDeletion]: 'true' } } });
const stays = { leaves: false, force: false };
const leaves = { leaves: true, force: false };
const byForce = { [annotation.forceDeletion]: 'true' };
const asOrphan = { [annotation.orphanDeletion]: 'true' };
const orphan = { force: false, orphan: true };

const table = {
  'nothing for a plain deletion': [aResource(), stays, {}],
  'nothing for one in deletion': [aResource(), leaves, {}],
  'the mark of force': [aResource(), { leaves: false, force: true }, byForce],
  'the mark of force in deletion': [aResource(), { leaves: true, force: true }, byForce],
  'the mark of force only once': [forced, { leaves: true, force: true }, {}],
  'the mark of force in place of another': [doubtful, { leaves: true, force: true }, byForce],
  'no force without a request': [forced, stays, { [annotation.forceDeletion]: null }],
  'an earlier force is kept': [forced, leaves, {}],
  'the mark of an orphan': [aResource(), { leaves: false, ...orphan }, asOrphan],
  'the mark of an orphan in deletion': [aResource(), { leaves: true, ...orphan }, asOrphan],
  'the mark of an orphan only once': [orphaned, { leaves: true, ...orphan }, {}],
  'no orphan without a request': [orphaned, stays, { [annotation.orphanDeletion]: null }],
  'an earlier orphan is kept': [orphaned, leaves, {}],
  'force in place of an orphan': [
    orphaned,
    { leaves: false, force: true },
    { ...byForce, [annotation.orphanDeletion]: null },
  ],
  'both marks': [
    aResource(),
    { leaves: false, force: true, orphan: true },
    { ...byForce, ...asOrphan },
  ],
  'no retry of a failed teardown that leaves its object': [
    failed('DELETE', { state: 'deleting', reason: 'DeleteFailed' }),
    { leaves: true, ...orphan },
    asOrphan,
  ],
  'a retry of a failed teardown': [
    failed('DELETE', { state: 'deleting', reason: 'DeleteFailed' }),
    leaves,
    { [annotation.requeue]: 'evt-1/2' },
  ],
  'no retry of a teardown in progress': [
    failed('DELETE', { state: 'deleting', reason: 'Processing' }),
    leaves,
    {},
  ],
  'no retry of an earlier failed create': [
    failed('CREATE', { state: 'failed', reason: 'ProviderFailed' }),
    leaves,
    {},
  ],
} satisfies Record<
  string,
  [Resource, { leaves: boolean; force: boolean; orphan?: boolean }, object]
>;

it.each(Object.entries(table))('writes %s', (_name, [resource, asked, want]) => {
  expect(annotationsFor(resource, asked)).toEqual(want);
});
