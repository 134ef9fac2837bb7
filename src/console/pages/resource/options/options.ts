// Changes one option of a resource, and nothing else of it.
import type { ApplyResource, ResourceRecord } from '../../../../api/shapes.ts';
import { request } from '../../../api/client.ts';
import { optionNames } from '../edit/declaration.ts';
import { text } from '../text.ts';
import { readVersion, type Version, writeTo } from '../version.ts';

/** One option with its new value. */
export type OptionChange = Pick<ApplyResource, (typeof optionNames)[number]>;

/** Changes an option of the resource as it is now. @throws as `changeOptionOf` */
export async function changeOption(id: string, change: OptionChange): Promise<void> {
  await changeOptionOf(await readVersion(id), change);
}

/** @throws ApiError for a refusal, Error when somebody has changed the resource since that version was read */
export async function changeOptionOf(seen: Version, change: OptionChange): Promise<void> {
  const { record } = seen;
  // The content of what failed would be sent to its provider again.
  if (hasOptions(record, change)) return;
  // An apply would replace what is hidden with null.
  if ((record.masked ?? []).length > 0) throw new Error(text('resource.edit.hidden'));
  const body = optionBody(record, change);
  await writeTo(seen, (headers) => request('applyResource', { body, headers }));
}

/** @returns the record with another option, for an apply, which keeps what it leaves out */
export function optionBody(
  { provider, resource, name, project_id, lifecycle_state }: ResourceRecord,
  change: OptionChange,
): Omit<ApplyResource, 'config'> {
  const state = lifecycle_state === 'draft' ? 'draft' : 'pending';
  return { provider, resource, name, project_id, lifecycle_state: state, ...change };
}

function hasOptions(record: ResourceRecord, change: OptionChange): boolean {
  return optionNames.every((name) => change[name] === undefined || change[name] === record[name]);
}
