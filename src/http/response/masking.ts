// Decides which callers see the secrets of a record: editors and admins, who may change them, and not viewers.

import { type Hidden, withoutSecrets } from '../../domain/secrets/resource-secrets.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { ResourceRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';

export interface Masking {
  mask(record: ResourceRecord): Hidden;
  /** @returns the schema that decides now; the same object until the type changes, undefined for an unknown type */
  schemaOf(record: Pick<ResourceRecord, 'provider' | 'resource'>): JsonObject | undefined;
}

/** @returns undefined for a caller who sees everything */
export function maskingFor(
  { role, organization }: Pick<Caller, 'role' | 'organization'>,
  definitions: Pick<DefinitionStore, 'schemaOf'>,
): Masking | undefined {
  if (role !== 'viewer') return undefined;
  const schemaOf: Masking['schemaOf'] = (type) => definitions.schemaOf(organization, type);
  return { mask: (record) => withoutSecrets(record, schemaOf(record)), schemaOf };
}
