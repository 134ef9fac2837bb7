// Validates the config of an apply against the schema of its type.
import { InvalidRequest } from '../../domain/errors.ts';
import type { ResourceTuple } from '../../domain/identity.ts';
import type { SchemaSandbox } from '../../domain/schema.ts';
import type { DefinitionStore, ValidateConfig } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { checkConfig } from '../request/config-validation.ts';

interface ConfigValidatorDeps {
  readonly definitions: Pick<DefinitionStore, 'find' | 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
}

/** The store calls it once content would be committed; only then must the config match the type's schema. */
export function configValidator(
  { definitions, schemas }: ConfigValidatorDeps,
  { organization, project }: Caller,
  { provider, resource }: ResourceTuple,
): ValidateConfig {
  return async (config) => {
    const definition = await definitions.find(organization, provider, resource);
    if (definition === undefined) {
      // Types are not visible to tokens that are confined to a project.
      const all = project === undefined ? await definitions.list(organization) : undefined;
      const msg = `Type ${provider}/${resource} is not registered${registeredOf(provider, all)}`;
      throw new InvalidRequest([
        { loc: ['body', 'resource'], msg, type: 'value_error', input: resource },
      ]);
    }
    if (definition.schema === null) return;
    const checked = { config, tenant: organization.namespace };
    const violations = await checkConfig(schemas, definition.schema, checked);
    if (violations.length === 0) return;
    throw new InvalidRequest(
      violations.map((each) => ({ ...each, loc: ['body', 'config', ...each.loc] })),
    );
  };
}

const maxNamed = 20;

function registeredOf(provider: string, all: readonly DefinitionRecord[] | undefined): string {
  if (all === undefined) return '';
  const names = all.filter((each) => each.provider === provider).map(({ resource }) => resource);
  if (names.length === 0) return `; provider ${provider} has no registered types`;
  const more = names.length > maxNamed ? ', …' : '';
  return `; registered: ${names.slice(0, maxNamed).join(', ')}${more}`;
}
