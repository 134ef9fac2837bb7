// Puts a chain of causes into one sentence. Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { Link } from './facts.ts';

const of: { readonly [state in Link['state']]: string } = {
  draft: 'is a draft',
  pending: 'is pending',
  processing: 'is processing',
  ready: 'is ready',
  failed: 'has failed',
  missing: 'does not exist',
  other_project: 'belongs to another project',
  progressing: 'is starting',
  available: 'is available',
  building: 'is being built',
  success: 'is built',
  exhausted: 'is exhausted',
  suspended: 'is suspended',
};

/** @param chain the deepest cause first */
export function summaryOf(
  chain: readonly Link[],
  { users, isInUse }: { readonly users: readonly string[]; readonly isInUse: boolean },
): string {
  const [asked, above, ...deeper] = chain.toReversed();
  if (asked === undefined) return '';
  if (isInUse) {
    const number = users.length === 1 ? 'one resource uses' : `${users.length} resources use`;
    return `${asked.ref} is being deleted, but ${number} it.`;
  }
  const head = `${asked.ref} ${of[asked.state]}`;
  if (above === undefined) return `${head}${ownReason(asked)}.`;
  const deepest = deeper.at(-1);
  const cause = deepest === undefined ? '' : `; the cause is that ${clauseOf(deepest)}`;
  return `${head} because ${clauseOf(above)}${cause}.`;
}

function ownReason({ state, reason }: Link): string {
  if (state === 'ready' || state === 'draft' || reason === null) return '';
  return ` (${reason})`;
}

function clauseOf({ kind, ref, state, reason, via }: Link): string {
  const used = via === null ? '' : `, which it uses for ${via},`;
  switch (kind) {
    case 'resource':
      return `${ref}${used} ${state === 'pending' || state === 'processing' ? 'is not ready yet' : of[state]}`;
    case 'provider':
      return providerClause(ref, state, reason);
    case 'type':
      return `type ${ref} is not registered`;
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
]);

function providerClause(ref: string, state: Link['state'], reason: string | null): string {
  if (whileDelivering.has(reason)) return `provider ${ref} could not process its event`;
  if (state === 'missing') return `provider ${ref} was never deployed`;
  return `provider ${ref} is not ready`;
}
