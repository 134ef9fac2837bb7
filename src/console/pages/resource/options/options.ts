// Changes one option of a resource, and nothing else of it.
import type { ResourceRecord } from '../../../../api/shapes.ts';
import type { DeclaredResourceOptions } from '../../../../client/resource-options.ts';
import { request } from '../../../api/client.ts';

/** @throws ApiError for a refusal */
export async function changeOption(
  { id }: ResourceRecord,
  body: DeclaredResourceOptions,
): Promise<void> {
  await request('updateResource', { path: { resource_id: id }, body });
}
