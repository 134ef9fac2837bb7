// Sends declarations as batches. The server plans, compares and checks all of a batch before it writes anything; a file with more
// documents than a batch takes is sent in the order of its references.

import type { BatchAnswer, MemberPlan } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { jsonBytes } from '../../../lib/json.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError, withStop } from '../../terminal/errors/api-error.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { inOrder } from '../declarations/order.ts';
import { blockedIn, refusalsIn } from './batch-refusals.ts';
import { type Refusal, requireAccepted } from './refusal.ts';

export interface DeclaredRequest {
  readonly declarations: readonly Declaration[];
  /** Fields that cannot change are no refusal: the resource is replaced. */
  readonly replace?: boolean;
  readonly showSecrets?: boolean;
}

/** The changes that batches would make, or made. */
export interface BatchesPlan {
  /** In the order of the declarations. */
  readonly members: readonly MemberPlan[];
  /** Other resources, which are updated since they use an output of a member. */
  readonly touches: BatchAnswer['touches'];
  readonly answers: readonly BatchAnswer[];
}

/** Asks the server what an apply would do. Nothing is written. */
export async function planAll(
  invocation: Invocation,
  request: DeclaredRequest,
): Promise<BatchesPlan & { readonly refusals: readonly Refusal[] }> {
  const answers: BatchAnswer[] = [];
  const refusals: Refusal[] = [];
  const progress = { word: 'checked', total: request.declarations.length };
  await withRequestProgress(invocation, progress, async (done) => {
    for (const declarations of batchesOf(request.declarations)) {
      const result = await sendBatch(invocation, { ...request, declarations, isDryRun: true });
      if ('plan' in result) answers.push(result);
      else refusals.push(...result);
      declarations.forEach(done);
    }
  });
  return { ...joinedPlan(request, answers), refusals };
}

export interface ApprovedRequest extends DeclaredRequest {
  /** For each batch the digest of the plan that was approved: nothing else is written. A batch without one replaces nothing. */
  readonly digests?: readonly (string | undefined)[] | undefined;
}

/** @throws CliError with all that is refused. Several batches are all checked before the first one is written */
export async function applyAll(
  invocation: Invocation,
  { digests, ...request }: ApprovedRequest,
): Promise<BatchesPlan> {
  const { declarations } = request;
  const api = await invocation.api();
  const batches = batchesOf(declarations);
  if (digests === undefined && batches.length > 1) {
    const { refusals, members } = await planAll(invocation, request);
    const nothing = nothingApplied(declarations);
    const blocked = blockedIn(members, declarations);
    await requireAccepted([...refusals, ...blocked], { api, total: declarations.length, nothing });
  }
  const answers: BatchAnswer[] = [];
  const progress = { word: 'sent', total: declarations.length };
  await withRequestProgress(invocation, progress, async (done) => {
    for (const [at, batch] of batches.entries()) {
      const plan = digests?.[at];
      const replace = plan !== undefined && request.replace === true;
      const result = await sendBatch(invocation, { declarations: batch, replace, plan });
      if ('plan' in result) answers.push(result);
      else {
        const sent = answers.flatMap((each) => each.resources).length;
        const nothing =
          sent === 0
            ? nothingApplied(batch)
            : `${counted(sent, 'other was', 'others were')} applied.`;
        await requireAccepted(result, { api, total: batch.length, nothing });
      }
      batch.forEach(done);
    }
  });
  return joinedPlan(request, answers);
}

/** @returns the sentence of a refusal, after which nothing was written */
export function nothingApplied({ length }: readonly unknown[]): string {
  return `Nothing was applied (${counted(length, 'document was', 'documents were')} checked).`;
}

/** @throws CliError when a digest does not approve all of the declarations */
export function requireOneBatch(declarations: readonly Declaration[]): void {
  if (batchesOf(declarations).length > 1) {
    throw usageError(`--plan approves one batch, which has at most ${maxDocuments} documents.`);
  }
}

const maxDocuments = 500;
/** The server takes 4 MiB. */
const maxBytes = 4_000_000;

/** @returns the declarations in their order; of more than one batch, each after what it uses */
function batchesOf(declarations: readonly Declaration[]): readonly (readonly Declaration[])[] {
  const only = splitted(declarations);
  if (only.length === 1) return only;
  const ordered = inOrder(declarations, ({ ref, body }) => ({ ref, ...body }));
  return splitted(ordered.map(({ item }) => item));
}

function splitted(declarations: readonly Declaration[]): readonly (readonly Declaration[])[] {
  const batches: Declaration[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const declaration of declarations) {
    const own = jsonBytes(declaration.body) + 1;
    bytes += own;
    if (bytes > maxBytes || batches.at(-1)?.length === maxDocuments) {
      batches.push([]);
      bytes = own;
    }
    batches.at(-1)?.push(declaration);
  }
  return batches;
}

interface SentBatch extends DeclaredRequest {
  readonly isDryRun?: boolean;
  readonly plan?: string | undefined;
}

const ownTimeoutMs = 30_000;
const documentTimeoutMs = 300;

/** @returns the answer, or the documents that are refused, after which nothing was written. @throws what refuses no document */
async function sendBatch(
  invocation: Invocation,
  { declarations, replace = false, showSecrets = false, isDryRun = false, plan }: SentBatch,
): Promise<BatchAnswer | readonly Refusal[]> {
  const api = await invocation.api();
  const { project } = await invocation.context();
  const [first] = declarations;
  const body = {
    ...(project === undefined ? {} : { project_id: project }),
    resources: declarations.map((each) => each.body),
    ...(replace ? { replace } : {}),
    ...(plan === undefined ? {} : { plan }),
  };
  const query = {
    ...(isDryRun ? { dry_run: true } : {}),
    ...(showSecrets ? ({ secrets: 'show' } as const) : {}),
  };
  try {
    const answer = await api.call('applyResources', {
      ...{ body, query },
      headers: first?.ifMatch === undefined ? {} : { 'if-match': first.ifMatch },
      // With a plan, the second time is another one: what it would change is done.
      isRepeatable: isDryRun || plan === undefined,
      answerTimeoutMs: ownTimeoutMs + documentTimeoutMs * declarations.length,
    });
    const warnings = answer.resources.flatMap((each) => each.warnings);
    for (const warning of warnings) invocation.talk.warn(withStop(warning));
    return answer;
  } catch (thrown) {
    if (thrown instanceof ApiError) return refusalsIn(thrown, declarations);
    throw thrown;
  }
}

function joinedPlan(
  { declarations }: DeclaredRequest,
  answers: readonly BatchAnswer[],
): BatchesPlan {
  const members = answers.flatMap((each) => each.resources);
  const touches = answers.flatMap((each) => each.touches);
  if (answers.length === 1) return { members, touches, answers };
  const places = new Map(declarations.map(({ ref }, at) => [ref, at]));
  const placeOf = ({ resource }: MemberPlan) => places.get(resource) ?? 0;
  return {
    members: members.toSorted((left, right) => placeOf(left) - placeOf(right)),
    // One batch may touch members of another.
    touches: touches.filter(({ resource }) => !places.has(resource)),
    answers,
  };
}
