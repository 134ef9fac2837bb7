// Builds must accept the schemas of the type and of the settings.
import type { SchemaOf } from '../../../domain/schemas/immutable.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { inspectSchema } from '../../../providers/schema-sandbox/rules.ts';
import { defaultProblem } from '../../migrations/default-changes.ts';
import type { Provider, ResourceType } from '../../provider.ts';
import { type Registration, registrationsOf } from '../../registrations.ts';
import { settingsSchemaOf } from '../../settings.ts';

/**
 * Checks the schemas of a type and of the settings by the rules of builds that need no compiler.
 *
 * @param provider the provider, made by `provider`
 * @param type the name of one of its types
 * @returns a sentence for each schema that a build would refuse; none for a type whose schemas cannot be converted
 * @example
 * ```ts
 * assert.deepEqual(schemaProblems(storage, 'bucket'), []);
 * ```
 */
export function schemaProblems(provider: Provider, type: string): readonly string[] {
  const settings = settingsSchemaOf(provider);
  const registration = registrationOf(provider, type);
  const ofSettings = settings
    ? [{ of: 'settings', whose: 'settings', schema: settings } as const]
    : [];
  const ofSchemas = [...recordedSchemas(registration ?? {}), ...ofSettings].flatMap((each) => {
    const { of, whose, schema } = each;
    const [violation] = inspectSchema(schema, of).violations;
    if (violation === undefined) return [];
    const where = violation.loc.length === 0 ? '' : ` at ${violation.loc.join('.')}`;
    return `schema of ${whose}${where}: expected what builds accept, saw that ${violation.msg}`;
  });
  return [...ofSchemas, ...defaultChanges(provider.types.get(type), registration)];
}

function defaultChanges(
  type: ResourceType | undefined,
  registration: Registration | undefined,
): readonly string[] {
  const change = type && registration && defaultProblem(type, registration);
  return change === undefined
    ? []
    : [`migrations: expected what builds accept, saw that ${change}`];
}

/** @returns what a build records of a type; undefined when its schemas cannot be converted */
export function registrationOf(provider: Provider, name: string): Registration | undefined {
  const type = provider.types.get(name);
  if (type === undefined) return undefined;
  try {
    return registrationsOf({ ...provider, types: new Map([[name, type]]) })[0];
  } catch {
    return undefined;
  }
}

const recordedAs = new Map<string, SchemaOf>([
  ['schema', 'config'],
  ['outputs_schema', 'outputs'],
  ['adopt_schema', 'adopt'],
]);

/** @returns every schema that a build records of a type, also of its earlier versions */
function* recordedSchemas(
  registration: object,
  version = '',
): Iterable<{ of: SchemaOf; whose: string; schema: JsonObject }> {
  for (const [member, value] of Object.entries(registration)) {
    const of = recordedAs.get(member);
    if (of !== undefined && isJsonObject(value)) {
      yield { of, whose: `${of}${version}`, schema: value };
    }
    if (member !== 'earlier_versions') continue;
    for (const earlier of value as readonly { type_version: number }[]) {
      yield* recordedSchemas(earlier, ` in version ${earlier.type_version}`);
    }
  }
}
