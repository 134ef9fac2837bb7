// Which fields of the type of a resource an apply may not change.
import type { ResourceTuple } from '../../domain/identity.ts';
import { immutableFieldsOfType } from '../../domain/immutable-changes.ts';
import type { DefinitionStore, ImmutableFields } from '../../store/interfaces.ts';
import type { Caller } from '../auth/authenticate.ts';

/** The store calls it once the config is valid: the definition in the cache is then that which it was validated by. */
export function immutableFieldsOf(
  definitions: Pick<DefinitionStore, 'find'>,
  { organization }: Caller,
  { provider, resource }: ResourceTuple,
): ImmutableFields {
  return async (applied, wanted) => {
    const type = await definitions.find(organization, provider, resource);
    return type === undefined
      ? []
      : immutableFieldsOfType(type, applied, wanted ?? type.typeVersion);
  };
}
