// Whether outputs and `adopt` can have the identity that a type declares. Pure.
import { type Budget, createBudget } from '../../lib/budget.ts';
import { type JsonObject, pointerNames } from '../../lib/json.ts';
import type { ObjectIdentity } from '../objects/identity.ts';
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
  }
  return undefined;
}
