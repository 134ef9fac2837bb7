// Validates the config of an apply against the schema of its type.
import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import type { ResourceTuple } from '../../domain/identity.ts';
import { checkConfig } from '../../domain/schemas/check-config.ts';
import { fittingVersion } from '../../domain/schemas/fitting-version.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { type DecidingSchema, schemaForVersion } from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DefinitionStore, ValidateConfig, WantedVersion } from '../../store/interfaces.ts';
import { retiredInWords } from '../../store/providers/type-in-force.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { nearestName } from '../request/known-names.ts';
import { acceptedAs, versionFor } from './type-versions.ts';

interface ConfigValidatorDeps {
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh' | 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

interface ValidatedApply {
  readonly caller: Caller;
  readonly tuple: ResourceTuple;
}

/**
 * The store calls it once content would be committed; only then must the config match the type's schema.
 * @param warn receives why a config that names no version has an earlier one; undefined when it has none
 */
export function configValidator(
  deps: ConfigValidatorDeps,
  { caller, tuple: { provider, resource } }: ValidatedApply,
  warn: (sentence: string | undefined) => void,
): ValidateConfig {
  const { definitions } = deps;
  const { organization } = caller;
  return async (config, version) => {
    const checked = { caller, tuple: { provider, resource }, config, version, warn };
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
  readonly warn: (sentence: string | undefined) => void;
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
  checked.warn(undefined);
  let violations: readonly Violation[] = [];
  const fits = async (deciding: DecidingSchema) => {
    const misfits = await configMisfits(deps, checked, deciding);
    // Violations of earlier versions would refuse names that are right in this one.
    if (deciding.typeVersion === version) violations = misfits;
    return misfits.length === 0;
  };
  const isNamed = wanted.given !== undefined;
  if (isNamed && (await fits(schemaForVersion(definition, version)))) return version;
  const { config } = checked;
  const changedByDefault = async (each: number) => (await wanted.changedByDefault?.(each)) ?? [];
  const asked = { config, from: version, fits, changedByDefault };
  const found = isNamed ? undefined : await fittingVersion(definition, asked);
  if (found === undefined) {
    const inConfig = violations.map((each) => ({ ...each, loc: ['body', 'config', ...each.loc] }));
    return new InvalidRequest(inConfig);
  }
  if (found.version < version) checked.warn(acceptedAs(definition, found));
  return found.version;
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
  retirement: NonNullable<DefinitionRecord['retired']>,
): InvalidRequest {
  const { version, at } = retirement;
  const msg = retiredInWords({ provider, resource }, retirement);
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
