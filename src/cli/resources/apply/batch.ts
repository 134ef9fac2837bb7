// Sends declarations as batches. The server plans, compares and checks all of a batch before it writes anything.

import type { MemberPlan, SetAnswer } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import type { WriteProgress } from '../../../domain/apply-plans.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import { callWithProgress } from '../../session/api/work-events.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError, withStop } from '../../terminal/errors/api-error.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { seesProgress } from '../watch/settle.ts';
import { batchesOf, maxDocuments } from './batch-limits.ts';
import { blockedIn, type EarlierBatches, partlyApplied, refusalsIn } from './batch-refusals.ts';
import { type Refusal, requireAccepted } from './refusal.ts';
import type { DeclaredSet } from './set.ts';

export interface DeclaredRequest {
  readonly declarations: readonly Declaration[];
  /** The set that has the declarations, and no other resources. */
  readonly set?: DeclaredSet | undefined;
  /** Fields that cannot change are no refusal: the resource is replaced. */
  readonly replace?: boolean;
  readonly showSecrets?: boolean;
}

/** The changes that batches would make, or made. */
export interface BatchesPlan {
  /** In the order of the declarations. */
  readonly members: readonly MemberPlan[];
  /** Other resources, which are updated since they use an output of a member. */
  readonly touches: PlanAnswer['touches'];
  /** Members of a set that the request does not name, and that stay. */
  readonly unlisted: readonly string[];
  readonly answers: readonly PlanAnswer[];
}

/** The answer to a batch, or to the request of a set. */
type PlanAnswer = Pick<SetAnswer, 'plan' | 'resources' | 'touches'> &
  Partial<Pick<SetAnswer, 'unlisted' | 'plan_required'>>;

/** Asks the server what an apply would do. Nothing is written. */
export async function planAll(
  invocation: Invocation,
  request: DeclaredRequest,
): Promise<BatchesPlan & { readonly refusals: readonly Refusal[] }> {
  const answers: PlanAnswer[] = [];
  const refusals: Refusal[] = [];
  const progress = { word: 'checked', total: request.declarations.length };
  await withRequestProgress(invocation, progress, async (done) => {
    for (const declarations of batchesOf(request)) {
      const result = await sendBatch(invocation, { ...request, declarations, isDryRun: true });
      if ('plan' in result) answers.push(result);
      else refusals.push(...result);
      declarations.forEach(done);
    }
  });
  return { ...joinedPlan(request, answers), refusals };
}

/**
 * Plans everything before anything is written.
 * @param nothing the sentence after which nothing was written
 * @throws CliError with all that the server refuses, and all that is blocked now
 */
export async function acceptedPlan(
  invocation: Invocation,
  request: DeclaredRequest,
  nothing: string = nothingApplied(request.declarations),
): Promise<BatchesPlan> {
  const { declarations } = request;
  const { refusals, ...plan } = await planAll(invocation, request);
  const api = await invocation.api();
  const all = [...refusals, ...blockedIn(plan.members, declarations)];
  await requireAccepted(all, { api, total: declarations.length, nothing });
  return plan;
}

export interface ApprovedRequest extends DeclaredRequest {
  /** For each batch the digest of the plan that was approved: nothing else is written. A batch without one replaces nothing. */
  readonly digests?: readonly (string | undefined)[] | undefined;
  /** How people go on after a part was applied. */
  readonly again?: string;
}

export const sameAgain = 'run the same command again, which writes only what is left';

/** @throws CliError with all that is refused. Several batches are all checked before the first one is written */
export async function applyAll(
  invocation: Invocation,
  { digests, again = sameAgain, ...request }: ApprovedRequest,
): Promise<BatchesPlan> {
  const { declarations } = request;
  const api = await invocation.api();
  const batches = batchesOf(request);
  if (digests === undefined && batches.length > 1) await acceptedPlan(invocation, request);
  const answers: PlanAnswer[] = [];
  const { length: total } = declarations;
  await withRequestProgress(invocation, { word: 'written', total }, async (_done, reach) => {
    let written = 0;
    for (const [at, batch] of batches.entries()) {
      const plan = digests?.[at];
      const replace = plan !== undefined && request.replace === true;
      const earlier = { applied: appliedIn(answers), again };
      const before = written;
      // A set may have members that no document names.
      const onProgress = (progress: WriteProgress) =>
        reach(before + progress.done, total - batch.length + progress.total);
      const sent = { ...request, declarations: batch, replace, plan, earlier, onProgress };
      const result = await sendBatch(invocation, sent);
      if ('plan' in result) answers.push(result);
      else {
        const nothing = partlyApplied(earlier) || nothingApplied(declarations);
        await requireAccepted(result, { api, total: batch.length, nothing });
      }
      written += batch.length;
      reach(written, total);
    }
  });
  return joinedPlan(request, answers);
}

function appliedIn(answers: readonly PlanAnswer[]): number {
  const members = answers.flatMap(({ resources }) => resources);
  return members.filter(({ outcome }) => outcome === 'applied').length;
}

/** @returns the sentence of a refusal, after which nothing was written */
export function nothingApplied({ length }: readonly unknown[]): string {
  return `Nothing was applied (${counted(length, 'document was', 'documents were')} checked).`;
}

interface SentBatch extends DeclaredRequest {
  readonly isDryRun?: boolean;
  readonly plan?: string | undefined;
  readonly earlier?: EarlierBatches;
  /** Receives how much of the batch is written, where a person sees that. */
  readonly onProgress?: (progress: WriteProgress) => void;
}

const ownTimeoutMs = 30_000;
const documentTimeoutMs = 300;

/** @returns the answer, or the documents that are refused, after which nothing was written. @throws what refuses no document */
async function sendBatch(
  invocation: Invocation,
  batch: SentBatch,
): Promise<PlanAnswer | readonly Refusal[]> {
  try {
    const answer = await batchAnswer(invocation, batch);
    const warnings = answer.resources.flatMap((each) => each.warnings);
    for (const warning of warnings) invocation.talk.warn(withStop(warning));
    return answer;
  } catch (thrown) {
    if (thrown instanceof ApiError) return refusalsIn(thrown, batch.declarations, batch.earlier);
    throw thrown;
  }
}

async function batchAnswer(
  invocation: Invocation,
  { declarations, set, plan, onProgress, ...batch }: SentBatch,
): Promise<PlanAnswer> {
  const { replace = false, showSecrets = false, isDryRun = false } = batch;
  const { signal } = invocation;
  const api = await invocation.api();
  const { project } = await invocation.context();
  const [first] = declarations;
  const body = {
    ...(project === undefined ? {} : { project_id: project }),
    resources: declarations.map((each) => each.body),
    ...(replace ? { replace } : {}),
    ...(plan === undefined ? {} : { plan }),
  };
  // Members that a set loses are in no document.
  const most = set === undefined ? declarations.length : maxDocuments;
  const options = {
    query: {
      ...(isDryRun ? { dry_run: true } : {}),
      ...(showSecrets ? ({ secrets: 'show' } as const) : {}),
    },
    headers: first?.ifMatch === undefined ? {} : { 'if-match': first.ifMatch },
    // With a plan, the second time is another one: what it would change is done.
    isRepeatable: isDryRun || plan === undefined,
    answerTimeoutMs: ownTimeoutMs + documentTimeoutMs * most,
  };
  const isReported = declarations.length > 1 && seesProgress(invocation);
  const how = { signal, onProgress: isReported ? onProgress : undefined };
  if (set === undefined) {
    const input = { body, ...options };
    return await callWithProgress(api, 'applyResources', { input, ...how });
  }
  const { name, ...declared } = set;
  const input = { path: { set: name }, body: { ...body, ...declared }, ...options };
  return await callWithProgress(api, 'applySet', { input, ...how });
}

function joinedPlan(
  { declarations }: DeclaredRequest,
  answers: readonly PlanAnswer[],
): BatchesPlan {
  const members = answers.flatMap((each) => each.resources);
  const touches = answers.flatMap((each) => each.touches);
  const unlisted = answers.flatMap((each) => each.unlisted ?? []);
  if (answers.length === 1) return { members, touches, unlisted, answers };
  const places = new Map(declarations.map(({ ref }, at) => [ref, at]));
  const placeOf = ({ resource }: MemberPlan) => places.get(resource) ?? 0;
  return {
    members: members.toSorted((left, right) => placeOf(left) - placeOf(right)),
    // One batch may touch members of another.
    touches: touches.filter(({ resource }) => !places.has(resource)),
    unlisted,
    answers,
  };
}
