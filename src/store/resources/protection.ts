// Refuses what would delete or replace a protected resource. Pure.
import { FairleadError } from '../../domain/errors.ts';
import { type ResourceTuple, slashed } from '../../domain/identity.ts';

/** @param how what the request would do, as a participle */
export function resourceProtected(
  tuple: ResourceTuple,
  how: 'deleted' | 'replaced',
): FairleadError {
  const resource = slashed(tuple);
  const message = `Resource ${resource} is protected and cannot be ${how}; apply it with protected: false first`;
  return new FairleadError('resource_protected', message, {
    context: { resources: [resource], resource_count: 1 },
  });
}

const maxNamed = 20;

/** @throws FairleadError resource_protected when one of the resources is, as when all of a provider are deleted */
export function requireUnprotected(
  records: readonly (ResourceTuple & { readonly protected: boolean })[],
): void {
  const names = records.filter((record) => record.protected).map(slashed);
  if (names.length === 0) return;
  const [what, them] =
    names.length === 1 ? ['1 resource is', 'it'] : [`${names.length} resources are`, 'them'];
  const more = names.length > maxNamed ? ', …' : '';
  const message = `${what} protected: ${names.slice(0, maxNamed).join(', ')}${more}; apply ${them} with protected: false first`;
  const context = { resources: names.slice(0, maxNamed), resource_count: names.length };
  throw new FairleadError('resource_protected', message, { context });
}
