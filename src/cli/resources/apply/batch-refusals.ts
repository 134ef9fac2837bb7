// Finds the documents that an answer to a batch refuses: by their place in the request, or by what stands in the way of a plan.
import type { MemberPlan } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import type { Violation } from '../../../domain/errors.ts';
import { parseResourceAddress } from '../../../domain/identity.ts';
import { textItems } from '../../../lib/json.ts';
import { ApiError, withStop } from '../../terminal/errors/api-error.ts';
import { CliError, type Fact } from '../../terminal/errors/cli-error.ts';
import type { Declaration } from '../declarations/declaration.ts';
import type { Refusal, RefusedDeclaration } from './refusal.ts';

/** The batches of a command that were sent before one. */
export interface EarlierBatches {
  /** The number of resources that they have applied. */
  readonly applied: number;
  /** How people go on after a part was applied. */
  readonly again: string;
}

/** @returns how to go on; nothing when nothing was applied */
export function partlyApplied({ applied, again }: EarlierBatches): string {
  if (applied === 0) return '';
  return `${counted(applied, 'other was', 'others were')} applied.  Go on: ${again}`;
}

/**
 * @param earlier undefined in a preview
 * @returns the refused documents. @throws the error, in other words perhaps, that refuses none
 */
export function refusalsIn(
  error: ApiError,
  declarations: readonly Declaration[],
  earlier: EarlierBatches = { applied: 0, again: '' },
): readonly Refusal[] {
  const byPlace = Map.groupBy(error.violations, ({ loc: [, field, at] }) =>
    field === 'resources' && typeof at === 'number' ? at : -1,
  );
  const refusals = [...byPlace].flatMap(([at, violations]) => {
    const declaration = declarations[at];
    return declaration === undefined
      ? []
      : [{ declaration, error: memberError(error, declaration.ref, violations) }];
  });
  const others = byPlace.get(-1) ?? [];
  if (refusals.length > 0) return [...refusals, ...refusedBeside(error, others)];
  if (error.code === 'plan_stale') throw stalePlan(error, earlier);
  if (error.code === 'plan_required') throw error.with({ next: planNeeded });
  if (error.code === 'set_incomplete') throw incomplete(error, earlier);
  if (earlier.applied === 0) throw error;
  throw error.with({ next: [error.next ?? '', partlyApplied(earlier)].filter(Boolean).join('  ') });
}

/** @returns what is refused beside documents, such as the deletion of a protected member that no document names */
function refusedBeside(
  { status, requestId }: ApiError,
  violations: readonly Violation[],
): readonly Refusal[] {
  if (violations.length === 0) return [];
  const answer = { ...memberRequest(''), status, requestId, body: { detail: violations } };
  return [{ declaration: undeclared(''), error: new ApiError(answer) }];
}

/** @returns the error that the member alone would have been answered with */
function memberError(
  { status, requestId }: ApiError,
  ref: string,
  violations: readonly Violation[],
): ApiError {
  const own = violations.map((each) => ({ ...each, loc: ['body', ...each.loc.slice(3)] }));
  const [first] = own;
  // An error that is none of a field.
  const isWhole = first !== undefined && own.length === 1 && first.loc.length === 1;
  const body = isWhole ? { detail: first.msg, code: first.type } : { detail: own };
  return new ApiError({ ...memberRequest(ref), status, requestId, body });
}

function memberRequest(ref: string) {
  return { method: 'POST', path: `/resources/${encodeURIComponent(ref)}` };
}

const conflict = 409;

/** @returns what refuses a plan now, and may pass */
export function blockedIn(
  members: readonly MemberPlan[],
  declarations: readonly Declaration[],
): readonly Refusal[] {
  const byRef = new Map(declarations.map((each) => [each.ref, each]));
  return members.flatMap(({ resource, blocked_by: blocked }) => {
    if (blocked === null) return [];
    const { code, message } = blocked;
    const body = { detail: message, code, context: {} };
    const error = new ApiError({
      ...{ ...memberRequest(resource), status: conflict, requestId: undefined, body },
    });
    return [{ declaration: byRef.get(resource) ?? undeclared(resource), error }];
  });
}

/** A member of a set that the files do not name. */
function undeclared(ref: string): RefusedDeclaration {
  const { provider = '', resource = '' } = parseResourceAddress(ref)?.tuple ?? {};
  return { ref, place: '', placeOf: () => '', body: { provider, resource } };
}

/** The next step where a plan is approved by its digest. */
export const planNeeded =
  'Nothing was written.  See its plan with --dry-run, and pass the digest, which -o value=plan prints: --plan DIGEST';

function stalePlan(error: ApiError, earlier: EarlierBatches): CliError {
  const changed = textItems(error.context['changed']);
  const why =
    changed.length === 0
      ? 'the files or flags are not those that were planned'
      : 'resources have changed since it was made';
  const partly = partlyApplied(earlier);
  return new CliError(`The plan is stale: ${why}.`, {
    exit: error.exit,
    facts: [...changed, ...(partly === '' ? ['Nothing was written.'] : [])],
    next: partly || 'Look at the new plan: fairlead diff, or the same command with --dry-run.',
  });
}

interface IncompleteResource {
  readonly resource: string;
  readonly outcome: string;
  readonly error: { readonly message: string } | null;
}

function incomplete(error: ApiError, { applied, again }: EarlierBatches): CliError {
  const { resources } = error.context;
  const all = (Array.isArray(resources) ? resources : []) as readonly IncompleteResource[];
  const written = all.filter(({ outcome }) => outcome === 'applied').length;
  const left = all.filter(({ outcome }) => outcome !== 'applied' && outcome !== 'unchanged');
  const facts: Fact[] = all
    .filter(({ outcome }) => outcome !== 'unchanged')
    .map(({ resource, outcome, error: cause }) => [
      ...[resource, outcome.replaceAll('_', ' ')],
      cause === null ? '' : withStop(cause.message),
    ]);
  return new CliError(`${left.length} of ${counted(all.length, 'resource')} were not written.`, {
    exit: error.exit,
    facts,
    next: partlyApplied({ applied: applied + written, again }) || `Go on: ${again}`,
  });
}
