import type { ResourceRecord } from '../../../cli/api/bodies.ts';
import { call } from '../../api/client.ts';

export interface Version {
  readonly record: ResourceRecord;
  /** For `If-Match`. */
  readonly etag: string | null;
}

/** Reads a resource anew, also one in deletion. @throws as `call` */
export async function readVersion(id: string): Promise<Version> {
  const { answer, headers } = await call('getResource', {
    path: { resource_id: id },
    query: { deleting: 'include' },
  });
  return { record: answer, etag: headers.get('etag') };
}
