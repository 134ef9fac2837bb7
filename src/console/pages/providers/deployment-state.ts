// The state of a provider in one word.
import type { Provider } from '../../../cli/api/bodies.ts';

/** @returns the status of its deployment; `not deployed` before the first one */
export function stateOf({ status, version, hosted }: Provider): string {
  return hosted && version === null ? 'not deployed' : status;
}
