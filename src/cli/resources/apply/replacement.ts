// Asks the server what a replacement would do, where an apply is refused for nothing but fields that cannot change. Elsewhere it is
// never requested: an update keeps what the provider created.
import type { ResourceRecord } from '../../../api/shapes.ts';
import type { InputOf } from '../../../client/api/request.ts';
import { dottedPointer } from '../../../lib/json.ts';
import type { Api, ApiCallOptions } from '../../session/api/client.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';

export interface Replacement {
  /** The fields that force it, such as `config.region`. */
  readonly forcedBy: readonly string[];
  /** Why it is refused: the resource is protected, or others use it. */
  readonly obstacle?: ApiError;
}

interface PlannedReplacement extends Replacement {
  /** As it would be; undefined when it is refused. */
  readonly record: ResourceRecord | undefined;
}

/** Returns whether an apply is refused, and a replacement is the only way. */
export function needsReplacement(thrown: unknown): thrown is ApiError {
  if (!(thrown instanceof ApiError) || thrown.violations.length === 0) return false;
  return thrown.violations.every(({ type }) => type === 'immutable');
}

const obstacles: readonly unknown[] = ['resource_protected', 'resource_in_use'];

/** @throws what else refuses it */
export async function plannedReplacement(
  api: Api,
  request: InputOf<'applyResource'> & ApiCallOptions,
  refusal: ApiError,
): Promise<PlannedReplacement> {
  const query = { dry_run: true, replace: true };
  try {
    const { body, headers } = await api.request('applyResource', { ...request, query });
    const forcedBy = fieldsIn(headers['fairlead-forced-by']);
    return { record: body, forcedBy };
  } catch (thrown) {
    if (!(thrown instanceof ApiError && obstacles.includes(thrown.code))) throw thrown;
    const forcedBy = refusal.violations.map(({ loc: [, ...path] }) => path.join('.'));
    return { record: undefined, forcedBy, obstacle: thrown };
  }
}

/** @param header percent-encoded JSON Pointers with commas between them */
function fieldsIn(header: unknown): readonly string[] {
  return `${header ?? ''}`
    .split(',')
    .map((each) => dottedPointer(decodeURIComponent(each.trim())))
    .filter((each) => each !== '');
}
