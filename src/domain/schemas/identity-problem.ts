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
  const budgets = { values: createBudget(), secrets: createBudget() };
  for (const part of ['outputs', 'adopt'] as const) {
    const schema = schemas[part];
    const found = schema && misplaced(identity, part, { schema, budgets });
    if (found !== undefined) return found;
  }
  return undefined;
}

interface PartOfIdentity {
  readonly schema: JsonObject;
  /** Each is spent alone: the one of values leaves all of the other to find secrets. */
  readonly budgets: { readonly values: Budget; readonly secrets: Budget };
}

/** A schema that costs more than the budgets permits every type, and everything in it is secret. */
function misplaced(
  identity: ObjectIdentity,
  part: keyof ObjectIdentity,
  { schema, budgets }: PartOfIdentity,
): IdentityProblem | undefined {
  const values = possibleValues(schema, budgets.values);
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
    if (isSecretAt(pointerNames(path), schema, budgets.secrets)) {
      const problem = `What is at ${path} is secret, and a short secret can be guessed from the stored digest of the identity`;
      return { loc, problem };
    }
  }
  return undefined;
}

function isSecretAt(names: readonly string[], schema: JsonObject, budget: Budget): boolean {
  let places: readonly (Place | undefined)[] = [compile([schema], budget)];
  for (const name of names) {
    if (places.some(isSecretPlace)) return true;
    places = places.flatMap((place) =>
      indexPattern.test(name)
        ? [place?.member(name, budget), place?.item(Number(name), budget)]
        : [place?.member(name, budget)],
    );
  }
  return places.some(isSecretPlace);
}

/** Nobody knows what a place is for which the budget has nothing left. */
function isSecretPlace(place: Place | undefined): boolean {
  return place?.isSecret ?? true;
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
