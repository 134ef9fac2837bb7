// Answers to batches, as the API gives them to the client.
import type { MemberPlan, SetAnswer } from '../../../src/api/shapes.ts';
import { slashed } from '../../../src/domain/identity.ts';
import type { Answer, AskedRequest } from './answering.ts';
import { resourceRecord } from './client-records.ts';

export type Wanted = Parameters<typeof slashed>[0] & { readonly config?: object };

/** @returns a member that is created; of a resource `postgres/database/NAME` */
export function batchMember(name: string, more: Partial<MemberPlan> = {}): MemberPlan {
  const record = resourceRecord(name);
  return {
    ...{ resource: slashed(record), id: record.id, change: 'create' },
    ...{ differences: [], forced_by: [], waits_for: [], known_after: [], drift: null },
    ...{ warnings: [], blocked_by: null, outcome: 'planned', record },
    ...more,
  };
}

type PlanAnswer = Pick<SetAnswer, 'plan' | 'resources' | 'touches'>;

export function batchAnswer(
  resources: readonly MemberPlan[],
  more: Partial<PlanAnswer> = {},
): { readonly body: PlanAnswer } {
  return { body: { plan: 'digest', resources: [...resources], touches: [], ...more } };
}

/** Answers a batch. @param of what the answer has of each document */
export function answeredBatch(
  { url, body }: AskedRequest,
  of: (wanted: Wanted) => Partial<MemberPlan> = () => ({}),
): Answer {
  const outcome = isDryRun(url) ? 'planned' : 'applied';
  const members = wantedIn({ body }).map((wanted) =>
    batchMember(wanted.name, { outcome, ...of(wanted) }),
  );
  return batchAnswer(members);
}

export function wantedIn({ body }: Pick<AskedRequest, 'body'>): readonly Wanted[] {
  return (body['resources'] ?? []) as readonly Wanted[];
}

export function isDryRun(url: string): boolean {
  return url.includes('dry_run=true');
}
