// Puts a chain of causes into one sentence. Pure.
import { isReason, Reason } from '../crds/conditions.ts';
import { type ReasonDescription, reasons } from '../crds/reasons.ts';
import type { Link } from './facts.ts';
import type { KnownFailure } from './failure.ts';

const of: { readonly [state in Link['state']]: string } = {
  draft: 'is a draft',
  pending: 'is pending',
  processing: 'is processing',
  ready: 'is ready',
  failed: 'has failed',
  refused: 'refuses it',
  missing: 'does not exist',
  other_project: 'belongs to another project',
  progressing: 'is starting',
  available: 'is available',
  building: 'is being built',
  success: 'is built',
  exhausted: 'is exhausted',
  suspended: 'is suspended',
};

interface Summarized {
  readonly users: readonly string[];
  readonly isInUse: boolean;
  /** Whether a deletion of the resource is under way, or has failed. */
  readonly isLeaving: boolean;
  /** The clause about the object of a ready resource, when something is wrong with it. */
  readonly object: string | undefined;
  /** The failure of the last resource of the path. */
  readonly failure: KnownFailure | undefined;
  readonly culprit: string | undefined;
  /** Sentence about the attempt of the last resource that is under way or follows. */
  readonly attempt: string | undefined;
}

/** @param chain the deepest cause first */
export function explanationSummary(chain: readonly Link[], known: Summarized): string {
  const { users, isInUse, attempt, object } = known;
  const [asked, above, ...deeper] = chain.toReversed();
  if (asked === undefined) return '';
  if (isInUse) return whileInUse(asked, users);
  if (object !== undefined) return `${asked.ref} ${object}.`;
  const head = `${asked.ref} ${known.isLeaving ? whileLeaving(asked) : of[asked.state]}`;
  const isLast = above === undefined || above.kind !== 'resource';
  if (attempt !== undefined && isLast) {
    const because = above === undefined ? '' : `; ${clauseOf(above, known)}`;
    return `${head}: ${attempt}${because}.`;
  }
  if (above === undefined) return `${head}${ownReason(asked)}.`;
  const deepest = deeper.at(-1);
  const cause = deepest === undefined ? '' : `; the cause is that ${clauseOf(deepest, known)}`;
  return `${head} because ${clauseOf(above, known)}${cause}.`;
}

function whileLeaving({ state }: Link): string {
  return state === 'failed' ? 'is being deleted, which has failed' : 'is being deleted';
}

function whileInUse({ ref, state }: Link, { length }: Summarized['users']): string {
  const what = state === 'pending' ? 'is to be replaced' : 'is being deleted';
  const number = length === 1 ? 'one resource uses' : `${length} resources use`;
  return `${ref} ${what}, but ${number} it.`;
}

function ownReason({ state, reason }: Link): string {
  if (state === 'ready' || state === 'draft' || reason === null) return '';
  const row: ReasonDescription | undefined = isReason(reason) ? reasons[reason] : undefined;
  return row?.clause === undefined ? ` (${reason})` : `: ${row.clause}`;
}

const typeStates: { readonly [reason in Reason]?: string } = {
  TypeRetired: 'is retired',
  VersionTooOld: 'serves in an older version than that of its content',
};

function clauseOf(link: Link, known: Summarized): string {
  const { kind, ref, state, via } = link;
  const used = via === null ? '' : `, which it uses for ${via},`;
  switch (kind) {
    case 'resource':
      return `${ref}${used} ${state === 'pending' || state === 'processing' ? 'is not ready yet' : of[state]}`;
    case 'provider':
      return providerClause(link, known);
    case 'type':
      return `type ${ref} ${typeStates[link.reason as Reason] ?? 'is not registered'}`;
    case 'quota':
      return 'the organization has reached a limit';
    case 'organization':
      return state === 'suspended'
        ? 'the organization is suspended'
        : 'its namespace has no organization';
    case 'project':
      return `project ${ref} does not exist`;
    case 'build':
    case 'deployment':
      return `${kind} ${ref} ${of[state]}`;
  }
}

const whileDelivering: ReadonlySet<string | null> = new Set<string | null>([
  Reason.ProviderFailed,
  Reason.AttemptsExhausted,
  Reason.RetryScheduled,
  Reason.DeleteFailed,
  Reason.OperationTimedOut,
  Reason.ClockSkew,
  Reason.TypeRetired,
]);

function providerClause({ ref, state, reason }: Link, known: Summarized): string {
  const { failure } = known;
  if (failure !== undefined && whileDelivering.has(reason)) {
    const clause = failureClause(ref, failure, known);
    return failure.isFinal ? clause : `the attempt before failed because ${clause}`;
  }
  if (state === 'missing') return `provider ${ref} was never deployed`;
  return `provider ${ref} is not ready`;
}

/** In the past: what a provider did to an event proves nothing about what it is doing now. */
function failureClause(ref: string, failure: KnownFailure, known: Summarized): string {
  const { kind } = failure;
  switch (kind) {
    case 'refused':
      if (failure.isNotFound) return `provider ${ref} finds no object for adopt`;
      return `provider ${ref} refused ${refusedIn(failure)}`;
    case 'misfit':
      return 'its config does not fit';
    case 'taken':
      return 'another resource stands for its object';
    case 'crashed':
      return `the process of provider ${ref} ended during its event`;
    case 'suspected':
    case 'lost':
      return lossClause(ref, kind, known.culprit);
    case 'skewed':
      return `the clocks of provider ${ref} and of Fairlead differed`;
    case 'unanswered':
      return `provider ${ref} did not answer`;
    case 'unusable':
      return `provider ${ref} gave an answer that cannot be used`;
    case 'rejected':
      return `provider ${ref} rejected its event`;
    case 'unknownType':
      return `the code of provider ${ref} lacks its type`;
    case 'unfinished':
      return `provider ${ref} did not finish its operation in time`;
    case 'unserved':
      return `provider ${ref} was not ready in time`;
    case 'thrown':
      return `provider ${ref} could not process its event`;
  }
}

function refusedIn({ isDeletion, isOfOld }: KnownFailure): string {
  if (isOfOld) return 'the deletion of what it replaces';
  return isDeletion ? 'its deletion' : 'its config';
}

function lossClause(ref: string, kind: 'suspected' | 'lost', culprit: string | undefined): string {
  const what =
    kind === 'lost'
      ? `the connection to provider ${ref} was lost during its event`
      : `the process of provider ${ref} ended during its event and others`;
  return culprit === undefined ? what : `${what}; the event of ${culprit} ended the process`;
}
