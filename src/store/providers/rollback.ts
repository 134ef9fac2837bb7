// The version to which a provider is rolled back. Pure.
import type { ServingProvider } from './type-in-force.ts';

/**
 * @returns the last version that served, other than the wanted one; undefined when there is none. A version that was deployed and
 * never became available is no way back
 */
export function rollbackVersionOf({ spec, status }: ServingProvider): string | undefined {
  if (spec.version === undefined) return undefined;
  const { deployedVersion, previousVersion } = status ?? {};
  return deployedVersion === spec.version ? previousVersion : deployedVersion;
}
