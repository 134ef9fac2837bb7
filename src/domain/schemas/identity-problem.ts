// Whether outputs and `adopt` can have the identity that a type declares. Pure.
import { type Budget, createBudget } from '../../lib/budget.ts';
import { isJsonObject, type JsonObject, ownMember, pointerNames } from '../../lib/json.ts';
import { listIn } from '../../tenant-schema/keywords.ts';
import { compile, type Place } from '../../tenant-schema/place.ts';
import type { ObjectIdentity } from '../objects/identity.ts';
import { indexPattern } from '../references/steps.ts';
import { possibleValues } from './possible-values.ts';

interface IdentitySchemas {
  readonly outputs?: JsonObject | undefined;
  readonly adopt?: JsonObject | undefined;
}

interface IdentityProblem {
  readonly loc: readonly string[];
  readonly problem: string;
}

const scalars = ['string', 'number', 'integer', 'boolean'] as const;

/** @returns the first rule that a declaration breaks; undefined when outputs and `adopt` of these schemas can have the identity */
export function identityProblem(
  identity: ObjectIdentity,
  schemas: IdentitySchemas,
): IdentityProblem | undefined {
  const { outputs, adopt } = identity;
  const missing = Object.keys(outputs).find((name) => !Object.hasOwn(adopt, name));
  if (missing !== undefined) return { loc: ['adopt'], problem: `Member ${missing} is missing` };
  const extra = Object.keys(adopt).find((name) => !Object.hasOwn(outputs, name));
  if (extra !== undefined) return { loc: ['outputs'], problem: `Member ${extra} is missing` };
  const budget = createBudget();
  for (const part of ['outputs', 'adopt'] as const) {
    const schema = schemas[part];
    const found = schema && misplaced(identity, part, { schema, budget });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A schema that costs more than the budget permits everything. */
function misplaced(
  identity: ObjectIdentity,
  part: keyof ObjectIdentity,
  { schema, budget }: { readonly schema: JsonObject; readonly budget: Budget },
): IdentityProblem | undefined {
  const values = possibleValues(schema, budget);
  for (const [name, path] of Object.entries(identity[part])) {
    const reached = values.at(pointerNames(path));
    const loc = [part, name];
    if ('missing' in reached) {
      return { loc, problem: `The schema of ${part} has nothing at ${path}` };
    }
    const types = values.typesOf(reached.alternatives);
    if (!scalars.some((each) => types.has(each))) {
      return { loc, problem: `What is at ${path} is no text, number or boolean` };
    }
    if (isSecretAt(pointerNames(path), schema, budget)) {
      const problem = `What is at ${path} is secret, and a short secret can be guessed from the stored digest of the identity`;
      return { loc, problem };
    }
  }
  return undefined;
}

function isSecretAt(names: readonly string[], schema: JsonObject, budget: Budget): boolean {
  const marks = (places: readonly Place[]) => places.some((place) => place.isSecret);
  let places = [compile([schema], budget) ?? []].flat();
  for (const name of names) {
    if (marks(places)) return true;
    places = places.flatMap((place) =>
      [
        place.member(name, budget) ?? [],
        indexPattern.test(name) ? (place.item(Number(name), budget) ?? []) : [],
      ].flat(),
    );
  }
  return marks(places);
}

/** @returns the pointers of members that outputs may lack, so that nothing tells the object of such outputs apart */
export function optionalMembers(
  { outputs }: ObjectIdentity,
  schema: JsonObject,
): readonly string[] {
  const values = possibleValues(schema);
  return Object.values(outputs).filter((path) => {
    const names = pointerNames(path);
    const reached = values.at(names);
    const isNullable =
      'alternatives' in reached && values.typesOf(reached.alternatives).has('null');
    return isNullable || isOptional(names, schema);
  });
}

/** Only what plain objects say of their members counts. */
function isOptional([name, ...rest]: readonly string[], schema: JsonObject): boolean {
  const member = name && ownMember(ownMember(schema, 'properties'), name);
  if (name === undefined || !isJsonObject(member)) return false;
  const isRequired = listIn(ownMember(schema, 'required')).includes(name);
  return !isRequired || isOptional(rest, member);
}
