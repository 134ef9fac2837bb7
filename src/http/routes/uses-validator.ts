// Checks what an apply uses of other resources: their types must exist, and a reference must be able to fit the outputs that it
// reads and the field that takes it.
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import { type ResourceTuple, slashed, typeName } from '../../domain/identity.ts';
import type { Dependency } from '../../domain/lifecycle.ts';
import { nearSentence, nearTarget } from '../../domain/references/near-reference.ts';
import {
  deprecatedSentence,
  problemSentence,
  referenceProblem,
  undescribedOutput,
  undescribedSentence,
} from '../../domain/references/reference-check.ts';
import {
  type NearReference,
  nearReferencesIn,
  type Reference,
  referencesIn,
} from '../../domain/references/references.ts';
import { readableOutputs, replacementOf } from '../../domain/schemas/deprecated-outputs.ts';
import { type PossibleValues, possibleValues } from '../../domain/schemas/possible-values.ts';
import { type Budget, createBudget } from '../../lib/budget.ts';
import { atPointer, type JsonObject, pointer } from '../../lib/json.ts';
import { nearest } from '../../lib/nearest.ts';
import type { DefinitionStore, Uses, ValidateUses } from '../../store/interfaces.ts';
import type { DefinitionRecord } from '../../store/records.ts';
import type { Caller } from '../auth/authenticate.ts';
import { maxViolations } from '../request/parse.ts';

type Definitions = Pick<DefinitionStore, 'find' | 'findFresh' | 'list'>;
type UsedType = Pick<ResourceTuple, 'provider' | 'resource'>;
/** By `provider/type`; undefined for one that no provider has. */
type DefinitionsByType = ReadonlyMap<string, DefinitionRecord | undefined>;

/** The store calls it once content would be committed. @param warn receives what is most likely a mistake and not refused */
export function usesValidator(
  definitions: Definitions,
  { caller, tuple }: { caller: Caller; tuple: ResourceTuple },
  warn: (doubts: readonly string[]) => void,
): ValidateUses {
  const { organization } = caller;
  return async (uses) => {
    const budget = createBudget();
    const used = typesUsed(uses, budget);
    if (used.length === 0) return;
    const violationsBy = async (find: Definitions['find']) => {
      const found = [tuple, ...used].map(async ({ provider, resource }) => {
        const type = await find(organization, provider, resource);
        return [typeName({ provider, resource }), type] as const;
      });
      const types: DefinitionsByType = new Map(await Promise.all(found));
      const checked = { uses, tuple, types, budget };
      const violations = violationsIn(checked);
      warn(doubtsIn(checked));
      return violations;
    };
    if ((await violationsBy(definitions.find)).length === 0) return;
    // The cache may be behind a version that has just taken over.
    const violations = await violationsBy(definitions.findFresh);
    if (violations.length === 0) return;
    const isUnknown = violations.some(({ type }) => type === unknownType);
    throw isUnknown
      ? await unknownTypes(definitions, caller, { violations, budget })
      : new InvalidRequest(violations);
  };
}

const unknownType = 'unknown_type';

function typesUsed({ config, dependencies }: Uses, budget: Budget): readonly UsedType[] {
  const near = nearReferencesIn(config).flatMap(({ body }) => nearTarget(body, budget)?.type ?? []);
  const all = [...dependencies, ...referencesIn(config).map(({ to }) => to), ...near];
  return [...new Map(all.map((each) => [typeName(each), each])).values()];
}

interface CheckedUses {
  readonly uses: Uses;
  readonly tuple: UsedType;
  readonly types: DefinitionsByType;
  /** The budget of the request. When it is spent, a reference is not refused, and no other name is suggested. */
  readonly budget: Budget;
}

function violationsIn(checked: CheckedUses): readonly Violation[] {
  const { uses, types } = checked;
  const unknown = (to: Dependency, loc: Violation['loc']): Violation | undefined =>
    types.get(typeName(to)) === undefined && !uses.isExpected(to)
      ? { loc, msg: typeName(to), type: unknownType, input: slashed(to) }
      : undefined;
  const misfit = misfits(checked);
  const found = function* () {
    for (const [index, to] of uses.dependencies.entries()) {
      yield unknown(to, ['body', 'dependencies', index]);
    }
    for (const reference of referencesIn(uses.config)) {
      const loc = ['body', 'config', ...reference.at];
      yield unknown(reference.to, loc) ?? misfit(reference, loc);
    }
    for (const near of nearReferencesIn(uses.config)) yield notReference(near, checked, misfit);
  };
  const violations: Violation[] = [];
  for (const each of found()) {
    if (each !== undefined) violations.push(each);
    if (violations.length === maxViolations) break;
  }
  return violations;
}

/** Text that begins with a resource of a type that nobody has is for another program. */
function notReference(
  { text, body, at, isWhole }: NearReference,
  { types, budget }: CheckedUses,
  misfit: ReturnType<typeof misfits>,
): Violation | undefined {
  const { type, meant } = nearTarget(body, budget) ?? {};
  if (type === undefined || types.get(typeName(type)) === undefined) return undefined;
  const loc = ['body', 'config', ...at];
  const msg = nearSentence(text, meant, (target) => {
    return misfit({ ...target, at, text, isWhole }, loc) === undefined;
  });
  return { loc, msg, type: 'value_error', input: text };
}

function misfits(checked: CheckedUses) {
  const { uses, tuple, types, budget } = checked;
  const own = types.get(typeName(tuple));
  const config = possibleValues((own && schemaOfVersion(own, uses.typeVersion)) ?? {}, budget);
  const outputsRead = outputsReader(checked);
  return (reference: Reference, loc: Violation['loc']): Violation | undefined => {
    const { to, path, text: input } = reference;
    const read = outputsRead(reference);
    const problem = read && referenceProblem(reference, { ...read, config });
    if (problem === undefined) return undefined;
    const msg = problemSentence(typeName(to), path, problem, budget);
    return { loc, msg, type: 'value_error', input };
  };
}

/** @returns what is known of the output that a reference reads; undefined when its type describes none */
function outputsReader({ uses, types, budget }: CheckedUses) {
  const known = new Map<JsonObject, PossibleValues>();
  return ({ to, path }: Reference) => {
    const schema = types.get(typeName(to))?.outputsSchema;
    if (schema == null) return undefined;
    const outputs = known.get(schema) ?? possibleValues(schema, budget);
    known.set(schema, outputs);
    const stored = uses.outputsOf(to);
    const read = stored && readableOutputs(stored, schema);
    return { schema, outputs, stored: atPointer(read, path.reduce(pointer, '')) };
  };
}

function doubtsIn(checked: CheckedUses): readonly string[] {
  const { uses, budget } = checked;
  const outputsRead = outputsReader(checked);
  const doubts: string[] = [];
  for (const reference of referencesIn(uses.config)) {
    const { at, to, path } = reference;
    const read = outputsRead(reference);
    if (read === undefined) continue;
    const undescribed = undescribedOutput(reference, read);
    const instead = replacementOf(path, read.schema);
    if (undescribed === undefined && instead === undefined) continue;
    const said =
      undescribed === undefined
        ? deprecatedSentence(typeName(to), path, instead)
        : undescribedSentence(typeName(to), path, undescribed, budget);
    doubts.push(`${['config', ...at].join('.')}: ${said}`);
    if (doubts.length === maxViolations) break;
  }
  return doubts;
}

function schemaOfVersion(
  { schema, earlierVersions }: DefinitionRecord,
  version: number | undefined,
): JsonObject | undefined {
  const earlier = earlierVersions.find(({ typeVersion }) => typeVersion === version);
  return earlier?.schema ?? schema ?? undefined;
}

async function unknownTypes(
  definitions: Definitions,
  { organization, project }: Caller,
  { violations, budget }: { readonly violations: readonly Violation[]; readonly budget: Budget },
): Promise<InvalidRequest> {
  // Types are not visible to tokens that are confined to a project.
  const all = project === undefined ? await definitions.list(organization) : [];
  const names = all.filter(({ retired }) => retired === null).map(typeName);
  const explained = violations.map((violation) => {
    if (violation.type !== unknownType) return violation;
    const meant = nearest(violation.msg, names, budget);
    const hint =
      meant === undefined ? 'deploy a provider that has it first' : `did you mean ${meant}?`;
    return { ...violation, msg: `Type ${violation.msg} is not registered; ${hint}` };
  });
  return new InvalidRequest(explained, { code: unknownType });
}
