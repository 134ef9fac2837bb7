// Which immutable fields an apply changes, compared with what the provider last applied.
import type { Resource } from '../../../crds/resource.ts';
import { InvalidRequest } from '../../../domain/errors.ts';
import { resolveReferences } from '../../../domain/references/references.ts';
import { areUndeclared, changedImmutables } from '../../../domain/schemas/immutable-changes.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import { atPointer, type JsonObject, pointer } from '../../../lib/json.ts';
import type {
  ImmutableFields,
  Uses,
  ValidateConfig,
  ValidateObserving,
  ValidateUses,
  WantedVersion,
} from '../../interfaces.ts';
import { isReadOnly } from '../options.ts';
import { hasReplacementFailed } from '../state.ts';
import type { WritePlan } from './apply-plan.ts';

export interface Commit {
  readonly plan: WritePlan;
  readonly existing: Resource | undefined;
  readonly validateConfig: ValidateConfig;
  readonly validateUses?: ValidateUses | undefined;
  readonly validateObserving?: ValidateObserving | undefined;
  readonly immutableFields?: ImmutableFields | undefined;
}

export interface Accepted {
  /** Version of the type that the config has. */
  readonly version: number | undefined;
  /** Paths of the immutable fields that a replacement changes. */
  readonly forcedBy: readonly FieldPath[];
}

type ResolvedUses = Pick<Uses, 'config' | 'outputsOf'>;

/** @returns undefined where the request names a version, keeps the one of its content, or replaces what exists */
export function changedByDefault(
  commit: Commit,
  uses: ResolvedUses,
): WantedVersion['changedByDefault'] {
  const { change, version } = commit.plan;
  if (version.given !== undefined || version.kept !== undefined || change === 'replace') {
    return undefined;
  }
  return async (each) => {
    const changed = await immutablesChangedBy(commit, uses, each);
    return areUndeclared(changed, uses.config) ? changed : [];
  };
}

/**
 * @param version of the type that the config has
 * @returns the fields that the provider must not change
 */
export async function immutablesChangedBy(
  { plan: { change, spec }, existing, immutableFields }: Commit,
  { config, outputsOf }: ResolvedUses,
  version: number | undefined,
): Promise<readonly FieldPath[]> {
  const { appliedConfig, appliedTypeVersion = firstTypeVersion } = existing?.status ?? {};
  const goesOn = change === 'retry' && existing !== undefined && hasReplacementFailed(existing);
  // The provider changes nothing of an object that is only observed.
  if (goesOn || isReadOnly(spec) || appliedConfig === undefined) return [];
  const rule = await immutableFields?.(appliedTypeVersion, version);
  if (rule === undefined || rule.fields.length === 0) return [];
  const resolution = resolveReferences(config, outputsOf);
  return changedImmutables(rule, appliedConfig as JsonObject, resolution);
}

/** @throws InvalidRequest when an immutable field changes */
export function requireImmutable(
  { config }: Commit['plan']['spec'],
  forcedBy: readonly FieldPath[],
): void {
  if (forcedBy.length === 0) return;
  const msg =
    'This field cannot change once the resource exists; restore its value, or send replace=true to have the resource deleted and created again';
  throw new InvalidRequest(
    forcedBy.map((path) => ({
      loc: ['body', 'config', ...path],
      msg,
      type: 'immutable',
      input: atPointer(config as JsonObject, path.reduce(pointer, '')),
    })),
  );
}
