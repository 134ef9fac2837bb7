// The answer of the protocol to a PLAN.
import {
  maxAnswerBytes,
  maxPlanRefusals,
  type PlanBody,
  type PlannedBody,
  type PlannedMemberBody,
} from '../../domain/event.ts';
import { jsonBytes } from '../../lib/json.ts';
import { oneLine, truncate } from '../../lib/text.ts';
import type { AnyObject, HandlerLog } from '../call.ts';
import { thrownText } from '../failure-text.ts';
import type { ResourceType } from '../provider.ts';
import { type PlanOutcome, planMembers } from './plan.ts';

interface PlanReplySurroundings {
  readonly settings: AnyObject;
  readonly started: AnyObject;
  readonly log: HandlerLog;
  readonly signal: AbortSignal;
  /** Hides secrets in a sentence. */
  readonly shown: (text: string) => string;
}

export async function plannedBody(
  type: ResourceType,
  body: PlanBody,
  { shown, ...surroundings }: PlanReplySurroundings,
): Promise<PlannedBody> {
  const plans = await planMembers(type, body, surroundings);
  let refusals = 0;
  const members = plans.map((plan, at) => {
    if ('thrown' in plan) {
      const { name = '' } = body.members[at] ?? {};
      surroundings.log.error('plan failed; the config is accepted', { name, error: plan.thrown });
    }
    const member = memberBody(plan, shown, maxPlanRefusals - refusals);
    refusals += member.refuse?.length ?? 0;
    return member;
  });
  return withinLimit(members);
}

const maxErrorLength = 200;

/** One refusal refuses the whole apply, so it does not matter which of them are left out. */
function memberBody(
  plan: PlanOutcome,
  shown: (text: string) => string,
  refusalsLeft: number,
): PlannedMemberBody {
  if ('thrown' in plan) {
    const said = shown(oneLine(thrownText(plan.thrown, 'plan')));
    return { error: truncate(said, maxErrorLength) };
  }
  const refuse = plan.refusals
    .slice(0, refusalsLeft)
    .map(({ path, message }) => ({ path, message: shown(message) }));
  return {
    ...(refuse.length === 0 ? {} : { refuse }),
    ...(plan.replaces.length === 0 ? {} : { replace: plan.replaces }),
    ...(plan.outputs === undefined ? {} : { outputs: plan.outputs }),
  };
}

/** Outputs are only shown: an answer that is too large does without them, and then without all places but the first of each. */
function withinLimit(members: readonly PlannedMemberBody[]): PlannedBody {
  const tooLarge = (all: readonly PlannedMemberBody[]) => jsonBytes(all) > maxAnswerBytes - 1_024;
  if (!tooLarge(members)) return { members };
  const bare = members.map(({ outputs: _outputs, ...rest }) => rest);
  if (!tooLarge(bare)) return { members: bare };
  return {
    members: bare.map(({ replace, error, refuse }) => ({
      ...(refuse === undefined ? {} : { refuse }),
      ...(replace === undefined ? {} : { replace: replace.slice(0, 1) }),
      ...(error === undefined ? {} : { error: 'plan failed' }),
    })),
  };
}
