// Sends one PLAN, unless the provider does not answer anyway: an apply waits for it, and is accepted without an answer.
import type { Organization } from '../../domain/identity.ts';
import type { AskProvider, ProviderReply } from '../../domain/providers/provider-request.ts';
import type { Clock } from '../../lib/clock.ts';
import { createKeyedSemaphore } from '../../store/keyed-semaphore.ts';
import { answersIn, type MemberAnswer } from './answer.ts';
import { createCircuit } from './circuit.ts';
import type { AskedContent } from './request.ts';

interface PlanQuestion {
  readonly organization: Organization;
  readonly type: { readonly provider: string; readonly resource: string };
  readonly asked: readonly AskedContent[];
  /** Aborted when nobody waits for the answer. */
  readonly signal: AbortSignal;
}

/** An answer for each content, or why there is none; undefined while no process is ready, which nobody has to know. */
export type PlanReply = readonly MemberAnswer[] | { readonly failed: string } | undefined;

interface PlanSenderDeps {
  readonly askProvider: AskProvider;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Requests of one organization that are open; further ones wait for them. */
const openOfOne = 4;
const noAnswer: PlanReply = { failed: 'its provider does not answer' };

export function createPlanSender({
  askProvider,
  clock,
}: PlanSenderDeps): (question: PlanQuestion) => Promise<PlanReply> {
  const circuit = createCircuit(clock);
  const open = createKeyedSemaphore(openOfOne);
  return ({ organization, type: { provider, resource }, asked, signal }) => {
    const key = `${organization.namespace}/${provider}`;
    return open.run(organization.namespace, async () => {
      // Only now: requests that this one has waited for may have opened it.
      if (!circuit.isClosed(key)) return noAnswer;
      const members = asked.map(({ body }) => body);
      const question = { event_type: 'PLAN', provider, resource, members } as const;
      const reply = await askProvider(organization, question, signal);
      const isSent = reply.kind !== 'unavailable' || reply.unsent === undefined;
      // A caller who is gone proves nothing about the provider.
      if (isSent && !signal.aborted) circuit.record(key, isAnswered(reply));
      return planReplyIn(reply, asked.length);
    });
  };
}

/** An error has a code; silence has none. */
function isAnswered(reply: ProviderReply): boolean {
  return reply.kind !== 'unavailable' || reply.code !== undefined;
}

function planReplyIn(reply: ProviderReply, count: number): PlanReply {
  switch (reply.kind) {
    case 'done': {
      const failed = 'its provider gave no answer for each resource';
      return answersIn(reply.body, count) ?? { failed };
    }
    case 'refused':
      return { failed: 'its provider refuses the request PLAN' };
    case 'unknown':
      return { failed: 'its provider does not know the request PLAN' };
    case 'unavailable':
      if (reply.unsent === 'busy') return { failed: 'too many requests to providers are open' };
      return reply.unsent === 'no_process' ? undefined : noAnswer;
  }
}
