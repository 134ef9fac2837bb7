// Validates the config of an apply against the schema of its type.
import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '../../domain/errors.ts';
import type { ResourceTuple } from '../../domain/identity.ts';
import type { SchemaSandbox } from '../../domain/schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DefinitionStore, ValidateConfig } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { checkConfig } from '../request/config-validation.ts';
import { nearestName } from '../request/known-names.ts';

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
  return async (config) => {
    const checked = { caller, tuple: { provider, resource }, config };
    const known = await definitions.find(organization, provider, resource);
    const refusal = await configRefusal(deps, { ...checked, definition: known });
    if (refusal === undefined) return;
    // The cache may be behind a version that has just taken over.
    const definition = await definitions.findFresh(organization, provider, resource);
    if (isDeepStrictEqual(known, definition)) throw refusal;
    const freshRefusal = await configRefusal(deps, { ...checked, definition });
    if (freshRefusal !== undefined) throw freshRefusal;
  };
}

interface Checked {
  readonly caller: Caller;
  readonly tuple: Pick<ResourceTuple, 'provider' | 'resource'>;
  readonly config: JsonObject;
  readonly definition: DefinitionRecord | undefined;
}

async function configRefusal(
  deps: ConfigValidatorDeps,
  { caller, tuple, config, definition }: Checked,
): Promise<InvalidRequest | undefined> {
  if (definition === undefined) return await notRegistered(deps, caller, tuple);
  if (definition.retired !== null) return retired(tuple, definition.retired);
  if (definition.schema === null) return undefined;
  const tenant = caller.organization.namespace;
  const violations = await checkConfig(deps.schemas, definition.schema, { config, tenant });
  return violations.length === 0
    ? undefined
    : new InvalidRequest(
        violations.map((each) => ({ ...each, loc: ['body', 'config', ...each.loc] })),
      );
}

export function retired(
  { provider, resource }: Checked['tuple'],
  { version, at }: NonNullable<DefinitionRecord['retired']>,
): InvalidRequest {
  const msg = `Type ${provider}/${resource} is retired: version ${version} of the provider, which has served since ${at}, lacks it`;
  const violation = { loc: ['body', 'resource'], msg, type: 'type_retired', input: resource };
  const context = { provider, resource, version, retired_at: at };
  return new InvalidRequest([violation], { code: 'type_retired', context });
}

async function notRegistered(
  { definitions }: ConfigValidatorDeps,
  { organization, project }: Caller,
  { provider, resource }: Checked['tuple'],
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
  { provider, resource }: Pick<Checked['tuple'], 'provider' | 'resource'>,
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
