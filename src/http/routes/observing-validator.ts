// Checks whether the type of a resource permits what an apply asks of it besides a valid config: an import, or an object that is
// only observed. And whether the object is free.
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import type { ResourceTuple } from '../../domain/identity.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DefinitionStore, ObservingAsked, ValidateObserving } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { ManagedObjects } from '../../store/resources/managed-objects/index.ts';
import type { Caller } from '../auth/authenticate.ts';

interface ObservingDeps {
  readonly definitions: Pick<DefinitionStore, 'find' | 'findFresh'>;
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly managedObjects: Pick<ManagedObjects, 'requireUntaken'>;
}

/** The store calls it once content would be committed, after the check of the config. */
export function observingValidator(
  { definitions, schemas, managedObjects }: ObservingDeps,
  { organization, project: scope }: Caller,
  tuple: ResourceTuple,
): ValidateObserving {
  const { provider, resource } = tuple;
  return async (asked) => {
    const misfitsBy = async (find: DefinitionStore['find']): Promise<readonly Violation[]> => {
      const type = await find(organization, provider, resource);
      if (type?.observe !== true) return unobservableViolations(tuple, asked);
      const { adopt } = asked;
      return adopt === undefined ? [] : adoptMisfits(schemas, type, { adopt, organization });
    };
    if ((await misfitsBy(definitions.find)).length > 0) {
      // The cache may be behind a version that has just taken over.
      const violations = await misfitsBy(definitions.findFresh);
      if (violations.length > 0) throw new InvalidRequest(violations);
    }
    const { adopt, isTakenOver } = asked;
    if (adopt === undefined && !isTakenOver) return;
    await managedObjects.requireUntaken(organization, { tuple, adopt, scope });
  };
}

/** @returns what is wrong with `adopt` of a request */
export async function adoptMisfits(
  schemas: ObservingDeps['schemas'],
  { adoptSchema }: Pick<DefinitionRecord, 'adoptSchema'>,
  { adopt, organization }: { adopt: JsonObject; organization: Caller['organization'] },
): Promise<readonly Violation[]> {
  if (adoptSchema === null) return [];
  const violations = await schemas.validate(adoptSchema, adopt, organization.namespace);
  return violations.map((each) => ({ ...each, loc: ['body', 'adopt', ...each.loc] }));
}

function unobservableViolations(
  { provider, resource }: ResourceTuple,
  { adopt, isObserved }: ObservingAsked,
): readonly Violation[] {
  const refuse = (field: string, use: string, otherwise: string): Violation => ({
    loc: ['body', field],
    msg: `Type ${provider}/${resource} cannot be ${use}: its provider does not observe objects; deploy a version that does, or ${otherwise}`,
    type: 'not_observable',
  });
  return [
    ...(adopt === undefined ? [] : [refuse('adopt', 'imported', 'apply without adopt')]),
    ...(isObserved ? [refuse('management', 'only observed', 'apply it as managed')] : []),
  ];
}
