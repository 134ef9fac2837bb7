// Which immutable fields an apply changes, compared with what the provider last applied.
import type { Resource } from '../../../crds/resource.ts';
import { InvalidRequest } from '../../../domain/errors.ts';
import { resolveReferences } from '../../../domain/references/references.ts';
import { changedImmutables } from '../../../domain/schemas/immutable-changes.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import { atPointer, type JsonObject, pointer } from '../../../lib/json.ts';
import type { ImmutableFields, Uses } from '../../interfaces.ts';

interface ImmutableChange {
  readonly existing: Resource | undefined;
  readonly immutableFields?: ImmutableFields | undefined;
}

/** @param version of the type that the config has */
export async function immutablesChanged(
  { existing, immutableFields }: ImmutableChange,
  { config, outputsOf }: Pick<Uses, 'config' | 'outputsOf'>,
  version: number | undefined,
): Promise<readonly FieldPath[]> {
  const { appliedConfig, appliedTypeVersion = firstTypeVersion } = existing?.status ?? {};
  if (appliedConfig === undefined || immutableFields === undefined) return [];
  const fields = await immutableFields(appliedTypeVersion, version);
  if (fields.length === 0) return [];
  const resolution = resolveReferences(config, outputsOf);
  return changedImmutables(fields, appliedConfig as JsonObject, resolution);
}

export function immutable(
  { config }: Resource['spec'],
  fields: readonly FieldPath[],
): InvalidRequest {
  const msg =
    'This field cannot change once the resource exists; restore its value, or send replace=true to have the resource deleted and created again';
  return new InvalidRequest(
    fields.map((path) => ({
      loc: ['body', 'config', ...path],
      msg,
      type: 'immutable',
      input: atPointer(config as JsonObject, path.reduce(pointer, '')),
    })),
  );
}
