// Decides what callers see of a record: its secrets editors and admins, who may change them, and not viewers; its project by name.

import { type Hidden, withoutSecrets } from '../../domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../../domain/secrets/type-schemas.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { ResourceRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';

/** How records are shown to a caller. */
export interface CallerView {
  /** Undefined for a caller who sees everything. */
  readonly masking: Masking | undefined;
  projectName(projectId: string): string;
}

export interface CallerViewDeps {
  readonly definitions: Pick<DefinitionStore, 'schemasOf'>;
  readonly projectNames: Pick<ProjectNames, 'nameOf'>;
}

export function callerView(
  caller: Pick<Caller, 'role' | 'organization'>,
  { definitions, projectNames }: CallerViewDeps,
): CallerView {
  return {
    masking: maskingFor(caller, definitions),
    projectName: (id) => projectNames.nameOf(caller.organization, id),
  };
}

export interface Masking {
  mask(record: ResourceRecord): Hidden;
  /** @returns the schemas that decide now; the same object until the type changes, undefined for an unknown type */
  schemasOf(record: Pick<ResourceRecord, 'provider' | 'resource'>): TypeSchemas | undefined;
}

function maskingFor(
  { role, organization }: Pick<Caller, 'role' | 'organization'>,
  definitions: Pick<DefinitionStore, 'schemasOf'>,
): Masking | undefined {
  if (role !== 'viewer') return undefined;
  const schemasOf: Masking['schemasOf'] = (type) => definitions.schemasOf(organization, type);
  return { mask: (record) => withoutSecrets(record, schemasOf(record)), schemasOf };
}
