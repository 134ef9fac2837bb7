// The version of its type that a config from kubectl has, which names none: as over HTTP, the newest that it fits.
import type { Resource } from '../../../crds/resource.ts';
import type { Resolution } from '../../../domain/references/references.ts';
import { checkConfig } from '../../../domain/schemas/check-config.ts';
import { fittingVersion } from '../../../domain/schemas/fitting-version.ts';
import {
  areUndeclared,
  changedImmutables,
  immutableRuleOfType,
} from '../../../domain/schemas/immutable-changes.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import { type SchemaSandbox, UnusableSchema } from '../../../domain/schemas/schema.ts';
import { firstTypeVersion, type TypeWithSchemas } from '../../../domain/type-version.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isReadOnly } from '../../../store/resources/options.ts';
import { storedTypeVersion } from '../../../store/resources/type-version.ts';
import type { KnownType } from './known-type.ts';

interface ConfigVersionDeps {
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

/** @returns the version that its apply or its last claim recorded; otherwise that by which the config is to be claimed */
export async function configVersion(
  resource: Resource,
  { content, resolution }: Pick<KnownType, 'content'> & { readonly resolution: Resolution },
  deps: ConfigVersionDeps,
): Promise<number> {
  const stored = storedTypeVersion(resource);
  const type = (content ?? {}) as TypeWithSchemas;
  const { typeVersion: newest = firstTypeVersion, earlierVersions = [] } = type;
  if (stored !== undefined || earlierVersions.length === 0) return stored ?? newest;
  const { metadata, spec } = resource;
  if (spec.lifecycle === 'Draft' || metadata.deletionTimestamp !== undefined) return newest;
  const config = spec.config as JsonObject;
  const checked = { config, tenant: metadata.namespace ?? '' };
  const found = await fittingVersion(type, {
    config,
    from: newest,
    fits: ({ schema }) => fitsSchema(schema, checked, deps),
    changedByDefault: (version) =>
      Promise.resolve(changesByDefault(resource, { type, resolution }, version)),
  });
  // One that fits none fails when it is sent, by the newest.
  return found?.version ?? newest;
}

function changesByDefault(
  { spec, status }: Resource,
  { type, resolution }: { readonly type: TypeWithSchemas; readonly resolution: Resolution },
  version: number,
): readonly FieldPath[] {
  const { appliedConfig, appliedTypeVersion: before = firstTypeVersion } = status ?? {};
  // The provider changes nothing of an object that is only observed.
  if (appliedConfig === undefined || isReadOnly(spec)) return [];
  const rule = immutableRuleOfType(type, before, version);
  const changed = changedImmutables(rule, appliedConfig as JsonObject, resolution);
  return areUndeclared(changed, resolution.config) ? changed : [];
}

/** A schema that can validate nothing is told of when the config is sent. */
async function fitsSchema(
  schema: JsonObject | undefined,
  checked: { readonly config: JsonObject; readonly tenant: string },
  { schemas }: ConfigVersionDeps,
): Promise<boolean> {
  if (schema === undefined) return true;
  try {
    return (await checkConfig(schemas, schema, checked)).length === 0;
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return true;
    throw thrown;
  }
}
