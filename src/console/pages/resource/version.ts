// A version of a resource, and writes that only that version may undergo.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { hasSameOptions } from '../../../client/resource-options.ts';
import { request } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { declaresTheSame } from './edit/declaration.ts';
import { text } from './text.ts';

export interface Version {
  readonly record: ResourceRecord;
  /** For `If-Match`. */
  readonly etag: string | null;
}

/** Reads a resource anew, also one in deletion. @throws as `call` */
export async function readVersion(id: string): Promise<Version> {
  const { answer, headers } = await request('getResource', {
    path: { resource_id: id },
    query: { deleting: 'include' },
  });
  return { record: answer, etag: headers.get('etag') };
}

/** More versions than this in one write are no progress of a provider. */
const maxRepetitions = 5;

interface WriteOptions {
  /** Whether two versions mean the same for the write: by default, when they declare the same. */
  readonly isSame?: (left: ResourceRecord, right: ResourceRecord) => boolean;
  /** How often the write is repeated. */
  readonly left?: number;
}

/**
 * Writes unless somebody has changed what the version declares.
 * @throws Error when somebody has
 */
export async function writeTo<T>(
  seen: Version,
  write: (headers: Readonly<Record<string, string>>) => Promise<T>,
  { isSame = isTheSame, left = maxRepetitions }: WriteOptions = {},
): Promise<T> {
  try {
    return await write(seen.etag === null ? {} : { 'if-match': seen.etag });
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 412) throw thrown;
    const present = await readVersion(seen.record.id);
    // The progress of its provider also makes a new version; only another apply matters.
    const isProgress = isSame(seen.record, present.record) && present.etag !== seen.etag;
    if (!isProgress || left === 0) throw new Error(text('resource.crossed'), { cause: thrown });
    return await writeTo(present, write, { isSame, left: left - 1 });
  }
}

export function isTheSame(left: ResourceRecord, right: ResourceRecord): boolean {
  return declaresTheSame(left, right) && hasSameOptions(left, right);
}
