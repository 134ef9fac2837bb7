// Decides what callers see of a record: its secrets editors and admins, who may change them, unless they ask to hide them, and not
// viewers; its project by name.

import {
  type HiddenContents,
  mayHaveSecrets,
  withoutSecrets,
} from '../../domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type Budget, createBudget, stepsForMany } from '../../lib/budget.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { ResourceRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';

/** How records are shown to a caller. */
export interface CallerView {
  /** Undefined for a caller who sees everything. */
  readonly masking: Masking | undefined;
  /** @returns whether a record may have secrets that `masking` would hide */
  mayHaveSecrets(record: ResourceRecord): boolean;
  /** Called when secrets are shown. */
  readonly onSecrets: () => void;
  projectName(projectId: string): string;
}

export interface CallerViewDeps {
  readonly definitions: Pick<DefinitionStore, 'schemasOf'>;
  readonly projectNames: Pick<ProjectNames, 'nameOf'>;
}

/** The parts of a request that say what it shows. */
export interface Showing {
  readonly caller: Pick<Caller, 'role' | 'organization'>;
  /** Whether the caller asks to hide secrets. */
  readonly hidesSecrets?: boolean;
  /** Leaves an audit line. */
  readonly onSecrets: () => void;
}

export function callerView(
  { caller, hidesSecrets = false, onSecrets }: Showing,
  { definitions, projectNames }: CallerViewDeps,
): CallerView {
  const schemasOf: Masking['schemasOf'] = (type) =>
    definitions.schemasOf(caller.organization, type);
  const isMasked = caller.role === 'viewer' || hidesSecrets;
  return {
    masking: isMasked
      ? {
          mask: (record, budget) => withoutSecrets(record, schemasOf(record), budget),
          schemasOf,
        }
      : undefined,
    mayHaveSecrets: (record) => mayHaveSecrets(record.secrets, schemasOf(record)),
    onSecrets,
    projectName: (id) => projectNames.nameOf(caller.organization, id),
  };
}

/** @returns the view with one budget, for all records of a piece of a list or stream */
export function viewOfPiece(view: CallerView): CallerView {
  const { masking } = view;
  if (masking === undefined) return view;
  const budget = createBudget(stepsForMany);
  return { ...view, masking: { ...masking, mask: (record) => masking.mask(record, budget) } };
}

export interface Masking {
  /** @param budget of all records of a piece; by default each has its own */
  mask(record: ResourceRecord, budget?: Budget): HiddenContents;
  /** @returns the schemas that decide now; the same object until the type changes, undefined for an unknown type */
  schemasOf(record: Pick<ResourceRecord, 'provider' | 'resource'>): TypeSchemas | undefined;
}
