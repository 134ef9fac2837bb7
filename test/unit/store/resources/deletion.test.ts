import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { annotationsFor } from '../../../../src/store/resources/deletion.ts';
import { aClaim, aResource } from '../../../support/fixtures/builders.ts';

const failed = (type: 'CREATE' | 'DELETE', status: Partial<Resource['status'] & object>) =>
  aResource({ status: { event: aClaim({ id: 'evt-1', type, requeued: 1 }), ...status } });
const forced = aResource({ metadata: { annotations: { [annotation.forceDeletion]: 'true' } } });
const doubtful = aResource({ metadata: { annotations: { [annotation.forceDeletion]: 'no' } } });
const stays = { leaves: false, force: false };
const leaves = { leaves: true, force: false };
const byForce = { [annotation.forceDeletion]: 'true' };

const table = {
  'nothing for a plain deletion': [aResource(), stays, {}],
  'nothing for one in deletion': [aResource(), leaves, {}],
  'the mark of force': [aResource(), { leaves: false, force: true }, byForce],
  'the mark of force in deletion': [aResource(), { leaves: true, force: true }, byForce],
  'the mark of force only once': [forced, { leaves: true, force: true }, {}],
  'the mark of force in place of another': [doubtful, { leaves: true, force: true }, byForce],
  'no force without a request': [forced, stays, { [annotation.forceDeletion]: null }],
  'an earlier force is kept': [forced, leaves, {}],
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
} satisfies Record<string, [Resource, { leaves: boolean; force: boolean }, object]>;

it.each(Object.entries(table))('writes %s', (_name, [resource, asked, want]) => {
  expect(annotationsFor(resource, asked)).toEqual(want);
});
