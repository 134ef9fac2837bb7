// The result of an observation of a resource of a test.
import type { JsonObject } from '../../../lib/json.ts';
import type { ResourceType } from '../../provider.ts';
import { compared } from '../compared.ts';
import type { Ending, Later } from '../step.ts';
import type { Applied, ObservedObject } from './kit-resource.ts';

/** @throws Error when nothing was observed */
export function observedObject(
  type: ResourceType,
  taken: Exclude<Ending, { kind: 'unanswered' }> | Later,
  declared: JsonObject,
): ObservedObject {
  if (taken.kind === 'later') {
    throw new Error(`observe asked to wait: ${taken.progress?.message ?? 'without a message'}`);
  }
  if (taken.kind === 'failed') {
    throw new Error(`observe failed with ${taken.code}: ${taken.message}`, { cause: taken.thrown });
  }
  const { observed } = taken;
  if (observed?.exists !== true) return { exists: false };
  const { config, outputs } = observed;
  const { changes } = compared(type, { declared: observed.declared ?? declared, actual: config });
  return {
    exists: true,
    config,
    outputs,
    changes: changes.map(({ path, declared: wanted, actual }) => ({
      path,
      declared: wanted,
      actual,
    })),
  };
}

export const notFound = {
  state: 'failed',
  code: 'NOT_FOUND',
  message: 'No object was found for the import: observe returned gone()',
} as const satisfies Applied;
