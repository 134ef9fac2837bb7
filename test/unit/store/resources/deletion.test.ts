import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { annotationsFor } from '../../../../src/store/resources/deletion.ts';
import { aClaim, aResource } from '../../../support/builders.ts';

const failed = (type: 'CREATE' | 'DELETE', status: Partial<Resource['status'] & object>) =>
  aResource({ status: { event: aClaim({ id: 'evt-1', type, requeued: 1 }), ...status } });
const forced = aResource({ metadata: { annotations: { [annotation.forceDeletion]: 'true' } } });
const doubtful = aResource({ metadata: { annotations: { [annotation.forceDeletion]: 'no' } } });
const stays = { leaves: false, force: false };
const leaves = { leaves: true, force: false };
const byForce = { [annotation.forceDeletion]: 'true' };

const table = {
  'nothing for a plain deletion': [aResource(), stays, {}],
  'nothing for one that is going': [aResource(), leaves, {}],
  'the word for force': [aResource(), { leaves: false, force: true }, byForce],
  'the word for force while it is going': [aResource(), { leaves: true, force: true }, byForce],
  'the word for force only once': [forced, { leaves: true, force: true }, {}],
  'the word for force in place of another': [doubtful, { leaves: true, force: true }, byForce],
  'no force that nobody asks for now': [forced, stays, { [annotation.forceDeletion]: null }],
  'force that was asked for stays': [forced, leaves, {}],
  'another try of a teardown that failed': [
    failed('DELETE', { state: 'deleting', reason: 'DeleteFailed' }),
    leaves,
    { [annotation.requeue]: 'evt-1/2' },
  ],
  'no other try of one that goes on': [
    failed('DELETE', { state: 'deleting', reason: 'Processing' }),
    leaves,
    {},
  ],
  'no other try of a creation that failed before': [
    failed('CREATE', { state: 'failed', reason: 'ProviderFailed' }),
    leaves,
    {},
  ],
} satisfies Record<string, [Resource, { leaves: boolean; force: boolean }, object]>;

it.each(Object.entries(table))('writes %s', (_name, [resource, asked, want]) => {
  expect(annotationsFor(resource, asked)).toEqual(want);
});
