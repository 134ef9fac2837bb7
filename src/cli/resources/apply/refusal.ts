// Explains why the API refuses a declaration: each broken rule with its line and column, and the name that was perhaps meant.

import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { violationMessage } from '../../../client/words/violation.ts';
import type { Violation } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Api } from '../../session/api/client.ts';
import { adviceFor } from '../../terminal/errors/advice.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, type Fact } from '../../terminal/errors/cli-error.ts';
import { worstOf } from '../../terminal/exit-codes.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { fileOf } from '../declarations/problem.ts';
import { inputName } from '../declarations/source.ts';

/** The refused part of a file: a declaration, or anything else. */
export type RefusedDeclaration = Pick<
  Declaration,
  'ref' | 'place' | 'placeOf' | 'again' | 'isMigrated'
> & {
  readonly body: Pick<Declaration['body'], 'provider' | 'resource'>;
};

export interface Refusal {
  readonly declaration: RefusedDeclaration;
  readonly error: CliError;
}

/** @throws what no answer of the API is */
export function refusalIn(thrown: unknown, declaration: RefusedDeclaration): Refusal {
  if (thrown instanceof ApiError) return { declaration, error: thrown };
  throw thrown;
}

type SchemasByType = ReadonlyMap<string, JsonObject | null>;

/** @throws CliError when anything was refused */
export async function requireAccepted(
  [first, ...rest]: readonly Refusal[],
  request: Parameters<typeof refusalError>[1],
): Promise<void> {
  if (first !== undefined) throw await refusalError([first, ...rest], request);
}

/** @param nothing what did not happen, such as `Nothing was applied (3 documents were checked).` */
export async function refusalError(
  refusals: readonly [Refusal, ...Refusal[]],
  { api, total, nothing }: { api: Api; total: number; nothing: string },
): Promise<CliError> {
  const [first] = refusals;
  const schemas = await schemasFor(refusals, api);
  const isOnly = refusals.length === 1;
  const facts = refusals.flatMap((refusal) => refusalFacts(refusal, { schemas, isOnly }));
  return new CliError(refusalSentence(refusals, total), {
    exit: worstOf(refusals.map(({ error }) => error.exit)),
    facts,
    next: [nothing, nextOfRefusal(first)].filter((each) => each !== '').join('  '),
    cause: first.error,
  });
}

function refusalSentence(refusals: readonly [Refusal, ...Refusal[]], total: number): string {
  const [{ declaration, error }] = refusals;
  if (refusals.length > 1) return `${refusals.length} of ${total} documents were refused.`;
  if (errorViolations(error).length === 0) return error.message;
  return `${declaration.ref} was refused: ${whatOf(errorViolations(error))}.`;
}

function whatOf(violations: readonly Violation[]): string {
  if (violations.every(({ type }) => type === 'immutable')) {
    return `it changes ${counted(violations.length, 'field')} that cannot change`;
  }
  const isConfig = violations.every(({ loc: [, field] }) => field === 'config');
  return isConfig
    ? 'config does not fit its type'
    : `it breaks ${counted(violations.length, 'rule')}`;
}

function nextOfRefusal({ declaration, error }: Refusal): string {
  const { provider, resource } = declaration.body;
  if (needsReplacement(error)) return byReplacement(declaration);
  if (errorViolations(error).some(({ loc: [, field] }) => field === 'config')) {
    return shell`The type: fairlead type get ${provider}/${resource}`;
  }
  if (errorViolations(error).some(({ loc: [, field] }) => field === 'resource')) {
    return 'The types that are: fairlead type list';
  }
  if (error instanceof ApiError && error.code === 'resource_busy') {
    return shell`Wait, then apply it again: fairlead wait ${declaration.ref}`;
  }
  if (error instanceof ApiError && error.code === 'owned_by_set') {
    return shell`Move it into this set: --take ${declaration.ref}`;
  }
  // The advice of the API for such requests names the members of its answer.
  if (errorViolations(error).length > 0) return '';
  if (!(error instanceof ApiError)) return error.next ?? '';
  return adviceFor(error, { provider, resource: declaration.ref }).next ?? '';
}

/** The provider loses what it created, so no advice names the flag alone. */
function byReplacement({ place, again, isMigrated }: RefusedDeclaration): string {
  if (isMigrated === true) {
    return 'Resources stay in the version that they have. Ask the author of the provider to let the migration keep the old value.';
  }
  const file = fileOf(place);
  // Standard input cannot be read a second time.
  if (again === undefined && file === inputName)
    return 'To delete it and create it again, pass --replace.';
  return shell`To delete it and create it again: fairlead apply ${again ?? ['-f', file]} --replace`;
}

/** Returns whether an apply is refused, and a replacement is the only way. */
export function needsReplacement(error: CliError): boolean {
  const violations = errorViolations(error);
  return violations.length > 0 && violations.every(({ type }) => type === 'immutable');
}

function errorViolations(error: CliError): readonly Violation[] {
  return error instanceof ApiError ? error.violations : [];
}

/** @param isOnly the sentence above has its message */
function refusalFacts(
  { declaration, error }: Refusal,
  { schemas, isOnly }: { schemas: SchemasByType; isOnly: boolean },
): readonly Fact[] {
  const violations = errorViolations(error);
  if (violations.length > 0) {
    return violations.map((violation) => refusalFact(declaration, violation, schemas));
  }
  return [[declaration.place, declaration.ref, ...(isOnly ? [] : [error.message])]];
}

function refusalFact(
  declaration: RefusedDeclaration,
  violation: Violation,
  schemas: SchemasByType,
): Fact {
  const { provider, resource } = declaration.body;
  const [, ...path] = violation.loc;
  const isMade = declaration.isMigrated === true && violation.type === 'immutable';
  const message = isMade
    ? 'cannot change once the resource exists'
    : violationMessage(violation, schemas.get(`${provider}/${resource}`));
  if (violation.type !== 'extra_forbidden') {
    return [declaration.placeOf(path), path.join('.'), `${message}${shownInput(violation)}`];
  }
  return [declaration.placeOf(path, 'key'), path.join('.'), message];
}

const maxShown = 60;

function shownInput({ type, input, msg }: Violation): string {
  const isValueMeant = type !== 'missing' && type !== 'immutable';
  if (input === undefined || !isValueMeant || typeof input === 'object') return '';
  // A question such as "did you mean …?" ends the sentence.
  if (msg.includes(`${input}`) || msg.endsWith('?')) return '';
  const text = JSON.stringify(input);
  return text.length > maxShown ? '' : `, is ${text}`;
}

async function schemasFor(refusals: readonly Refusal[], api: Api): Promise<SchemasByType> {
  const hasExtra = refusals.some(({ error }) =>
    errorViolations(error).some(({ type }) => type === 'extra_forbidden'),
  );
  if (!hasExtra) return new Map();
  try {
    const types = await api.list('listTypes', {});
    return new Map(types.map((each) => [`${each.provider}/${each.resource}`, each.schema]));
  } catch {
    // Suggestions are worth no second error.
    return new Map();
  }
}
