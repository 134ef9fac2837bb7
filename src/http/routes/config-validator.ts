// Validates the config of an apply against the schema of its type.
import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import type { ResourceTuple } from '../../domain/identity.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import {
  acceptedVersions,
  type DecidingSchema,
  schemaForVersion,
} from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DefinitionStore, ValidateConfig, WantedVersion } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { checkConfig } from '../request/config-validation.ts';
import { nearestName } from '../request/known-names.ts';
import { fitsEarlier, versionFor } from './type-versions.ts';

interface ConfigValidatorDeps {
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh' | 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

/** The store calls it once content would be committed; only then must the config match the type's schema. */
export function configValidator(
  deps: ConfigValidatorDeps,
  caller: Caller,
  { provider, resource }: ResourceTuple,
): ValidateConfig {
  const { definitions } = deps;
  const { organization } = caller;
  return async (config, version) => {
    const checked = { caller, tuple: { provider, resource }, config, version };
    const known = await definitions.find(organization, provider, resource);
    const found = await judgeVersion(deps, { ...checked, definition: known });
    if (typeof found === 'number') return found;
    // The cache may be behind a version that has just taken over.
    const definition = await definitions.findFresh(organization, provider, resource);
    if (isDeepStrictEqual(known, definition)) throw found;
    const fresh = await judgeVersion(deps, { ...checked, definition });
    if (typeof fresh === 'number') return fresh;
    throw fresh;
  };
}

interface CheckedConfig {
  readonly caller: Caller;
  readonly tuple: Pick<ResourceTuple, 'provider' | 'resource'>;
  readonly config: JsonObject;
  readonly version: WantedVersion;
  readonly definition: DefinitionRecord | undefined;
}

/** @returns the version of the type that the config has, or what is wrong with it */
async function judgeVersion(
  deps: ConfigValidatorDeps,
  checked: CheckedConfig,
): Promise<number | InvalidRequest> {
  const { caller, tuple, definition, version: wanted } = checked;
  if (definition === undefined) return await notRegistered(deps, caller, tuple);
  if (definition.retired !== null) return retired(tuple, definition.retired);
  const version = versionFor(definition, wanted);
  if (typeof version !== 'number') return version;
  const misfits = (each: number) =>
    configMisfits(deps, checked, schemaForVersion(definition, each));
  const violations = await misfits(version);
  if (violations.length === 0) return version;
  const inConfig = violations.map((each) => ({ ...each, loc: ['body', 'config', ...each.loc] }));
  if (wanted.given !== undefined) return new InvalidRequest(inConfig);
  for (const earlier of acceptedVersions(definition).filter((each) => each < version)) {
    const fits = (await misfits(earlier)).length === 0;
    if (fits) return new InvalidRequest([fitsEarlier(definition, earlier), ...inConfig]);
  }
  return new InvalidRequest(inConfig);
}

async function configMisfits(
  { schemas }: ConfigValidatorDeps,
  { caller, config }: CheckedConfig,
  { schema }: DecidingSchema,
): Promise<readonly Violation[]> {
  if (schema === undefined) return [];
  return await checkConfig(schemas, schema, { config, tenant: caller.organization.namespace });
}

export function retired(
  { provider, resource }: CheckedConfig['tuple'],
  { version, at }: NonNullable<DefinitionRecord['retired']>,
): InvalidRequest {
  const msg = `Type ${provider}/${resource} is retired: version ${version} of the provider, which has served since ${at}, lacks it`;
  const violation = { loc: ['body', 'resource'], msg, type: 'type_retired', input: resource };
  const context = { provider, resource, version, retired_at: at };
  return new InvalidRequest([violation], { code: 'type_retired', context });
}

export async function notRegistered(
  { definitions }: { readonly definitions: Pick<DefinitionStore, 'list'> },
  { organization, project }: Caller,
  { provider, resource }: CheckedConfig['tuple'],
): Promise<InvalidRequest> {
  // Types are not visible to tokens that are confined to a project.
  const all = project === undefined ? await definitions.list(organization) : undefined;
  const msg = `Type ${provider}/${resource} is not registered${registeredOf({ provider, resource }, all)}`;
  return new InvalidRequest([
    { loc: ['body', 'resource'], msg, type: 'value_error', input: resource },
  ]);
}

const maxNamed = 20;

function registeredOf(
  { provider, resource }: Pick<CheckedConfig['tuple'], 'provider' | 'resource'>,
  all: readonly DefinitionRecord[] | undefined,
): string {
  if (all === undefined) return '';
  const names = all
    .filter((each) => each.provider === provider && each.retired === null)
    .map(({ resource }) => resource);
  if (names.length === 0) return `; provider ${provider} has no types`;
  const meant = nearestName(resource, names);
  if (meant !== undefined) return `; did you mean ${provider}/${meant}?`;
  const more = names.length > maxNamed ? ', …' : '';
  return `; provider ${provider} has ${names.slice(0, maxNamed).join(', ')}${more}`;
}
