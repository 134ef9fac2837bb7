// The store of resources for the HTTP API. Reads go to the API server, so every replica shows every acknowledged write.
// Every write carries the resourceVersion it was decided on, or creates; a lost race decides again.
import { FairleadError } from '../../domain/errors.ts';
import type { ResourceStore } from '../interfaces.ts';
import { createKeyedSemaphore } from '../keyed-semaphore.ts';
import type { ProjectScope, WantedResource } from '../records.ts';
import { type ApplyDeps, apply } from './apply/apply.ts';
import { previewApply } from './apply/prepare.ts';
import { previewDeletion, requestDeletion } from './deletion.ts';
import { requireUnused } from './dependencies/dependents.ts';
import { readersOf } from './dependencies/readers.ts';
import { withKnownSpec } from './known-spec.ts';
import { allResources, listPage, pagesAtATime } from './lists/list.ts';
import { find, isVisible, resourceNotFound } from './lookup.ts';
import { requestCorrection, requestObservation } from './observation-requests.ts';
import { requireNoMember } from './plan-required.ts';
import { requireUnprotected } from './protection.ts';
import { resourceRecord } from './state.ts';

export function createResourceStore(deps: ApplyDeps): ResourceStore {
  const { client } = deps;
  const reading = { ...deps, pageReads: createKeyedSemaphore(pagesAtATime) };
  return {
    list: (organization, filter) => listPage(reading, organization, filter),
    listAll: (organization, filter) => allResources(reading, organization, filter),
    get: async (organization, address, options) => {
      const found = await find(client, organization, address);
      if (found === undefined || !isVisible(found, options)) throw resourceNotFound(address);
      const { namespace = '', name } = found.metadata;
      return resourceRecord(withKnownSpec(found, deps.known({ namespace, name })));
    },
    apply: (organization, wanted, { scope, ...rest }) =>
      apply(deps, organization, { wanted: scoped(wanted, scope), ...rest }),
    previewApply: (organization, wanted, { scope, ...rest }) =>
      previewApply(deps, organization, { wanted: scoped(wanted, scope), ...rest }),
    observe: (organization, address, options) =>
      requestObservation(deps, organization, address, options),
    correct: (organization, address, options) =>
      requestCorrection(deps, organization, address, options),
    requestDeletion: (organization, address, options) =>
      requestDeletion(deps, organization, {
        address,
        ...options,
        // One in deletion is no member any more, and its deletion may need another try.
        requireSame: async (found) => {
          if (found.metadata.deletionTimestamp !== undefined) return;
          await requireNoMember(deps, organization, found);
        },
      }),
    previewDeletion: (organization, address, options) =>
      previewDeletion(deps, organization, { address, ...options }),
    readers: (organization, records) => readersOf(deps, organization, records),
    requireRemovable: async (organization, records, leaving) => {
      requireUnprotected(records);
      await requireUnused(deps, organization, { records, leaving });
    },
  };
}

/**
 * A caller confined to a project applies into that project when it names none.
 * @throws FairleadError `outside_project` when it names another
 */
export function scoped(wanted: WantedResource, scope: ProjectScope): WantedResource {
  if (scope === undefined) return wanted;
  if (wanted.projectId === undefined) return { ...wanted, projectId: scope };
  if (wanted.projectId === scope) return wanted;
  throw new FairleadError('outside_project', 'The token is confined to another project');
}
