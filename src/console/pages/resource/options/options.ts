// Changes one option of a resource, and nothing else of it.
import type { ApplyResource, ResourceRecord } from '../../../../api/shapes.ts';
import type { Options } from '../../../../client/resource-options.ts';
import { request } from '../../../api/client.ts';

/** Needs no version: an option is set whatever else somebody changes at the same time. @throws ApiError for a refusal */
export async function changeOption(record: ResourceRecord, change: Options): Promise<void> {
  await request('applyResource', { body: optionBody(record, change) });
}

/** @returns the record with another option, for an apply, which keeps what it leaves out */
export function optionBody(
  { provider, resource, name, project_id, lifecycle_state }: ResourceRecord,
  change: Options,
): Omit<ApplyResource, 'config'> {
  const state = lifecycle_state === 'draft' ? 'draft' : 'pending';
  return { provider, resource, name, project_id, lifecycle_state: state, ...change };
}
