// Asks the API for the newest form of a config, and finds the version that a config has which names none.
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { typeName } from '../../../domain/identity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Api } from '../../session/api/client.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';

/** A config, in the newest form of its type. */
export interface ConfigMigration {
  /** The version that it had. */
  readonly from: number;
  readonly to: number;
  readonly config: JsonObject;
}

interface MigrationRequest {
  readonly type: ResourceDefinition;
  readonly config: JsonObject;
  /** Undefined: the newest one that the config fits. */
  readonly from: number | undefined;
}

/** @throws ApiError, and CliError for a version that the type does not have */
export async function migrationOf(
  api: Api,
  { type, config, from }: MigrationRequest,
): Promise<ConfigMigration> {
  const newest = type.type_version;
  if (from !== undefined && from > newest) {
    throw usageError(`Version ${from} is newer than ${newest}, the newest of ${typeName(type)}.`);
  }
  if (from !== undefined) return await migrateConfig(api, { type, config, from });
  const earlier = earlierOf(type).sort((left, right) => right - left);
  // A type without other versions leaves nothing to find out.
  if (earlier.length === 0) return { from: newest, to: newest, config };
  let misfit: ApiError | undefined;
  for (const version of [newest, ...earlier]) {
    try {
      return await migrateConfig(api, { type, config, from: version });
    } catch (thrown) {
      if (!isMisfit(thrown)) throw thrown;
      // The error of the newest form is what most people want to know.
      misfit ??= thrown;
    }
  }
  throw misfit ?? new CliError(`The config fits no version of ${typeName(type)}.`);
}

function isMisfit(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.status === 422 && thrown.code === 'invalid';
}

async function migrateConfig(
  api: Api,
  { type: { provider, resource }, config, from }: MigrationRequest & { readonly from: number },
): Promise<ConfigMigration> {
  const path = { provider, resource };
  const body = { from, config };
  const migrated = await api.call('migrateConfig', { path, body, isRepeatable: true });
  return { from, to: migrated.type_version, config: migrated.config as JsonObject };
}

function earlierOf({ earlier_versions }: ResourceDefinition): number[] {
  return earlier_versions.map((each) => each.type_version);
}
