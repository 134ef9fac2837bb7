// Requests for many resources: the checks of each member before it is planned, the digest of the plan, and the errors of what is not
// carried out.
import { createHash, type KeyObject } from 'node:crypto';
import type { z } from 'zod';
import type { ApplyResources } from '../../api/schemas/batches.ts';
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import { slashed } from '../../domain/identity.ts';
import type { TypeSchemas } from '../../domain/secrets/type-schemas.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { betweenSteps, inTimeSlices } from '../../lib/turns.ts';
import type { AskAuthors, Precondition } from '../../store/interfaces.ts';
import type { CommittedMember } from '../../store/resources/batch/commit.ts';
import type { BatchMember } from '../../store/resources/batch/member.ts';
import {
  type BatchPlan,
  memberRefused,
  type PlannedMember,
} from '../../store/resources/batch/plan.ts';
import { scoped } from '../../store/resources/store.ts';
import type { Caller } from '../auth/claims.ts';
import { changedPlanParts, type PlanParts, planDigest, planPart } from '../request/plan-digest.ts';
import {
  type ApplyRoutesDeps,
  askingAuthors,
  checksOf,
  requireMayImport,
  requireSmallContent,
  type WriteRequest,
  wantedFrom,
  wantedProject,
} from './apply.ts';
import { type ApplyWarnings, noWarnings, warningsOfAll } from './apply-warnings.ts';

export interface PlanningDeps extends Omit<ApplyRoutesDeps, 'resources' | 'waits'> {
  /** The key of digests of plans, the same in every replica. */
  readonly planKey: () => Promise<KeyObject>;
  /** Charges an organization for requests beside the one that it has sent. */
  readonly charge: (caller: Caller, requests: number) => void;
}

/** Resources that count as one request. */
const resourcesPerCharge = 10;

export function chargeFor(
  { charge }: Pick<PlanningDeps, 'charge'>,
  caller: Caller,
  { length }: readonly unknown[],
): void {
  const requests = Math.ceil(length / resourcesPerCharge);
  if (requests > 1) charge(caller, requests - 1);
}

export interface CheckedMember extends BatchMember {
  /** Texts about what is accepted, and most likely a mistake; known once the member is checked. */
  readonly warnings: ApplyWarnings;
}

type ApplyBody = z.output<typeof ApplyResources>['resources'][number];

interface MembersAsked {
  readonly resources: readonly ApplyBody[];
  /** The project of resources that name none. */
  readonly projectId: string | undefined;
  readonly precondition?: Precondition | undefined;
}

/** @returns each with what refuses it, if anything does: a plan then refuses it together with all others that are wrong */
export async function checkedMembers(
  deps: PlanningDeps,
  caller: Caller,
  { resources, projectId: ofRequest, precondition }: MembersAsked,
): Promise<readonly CheckedMember[]> {
  const members: CheckedMember[] = [];
  for (const body of resources) {
    await betweenSteps();
    let wanted = wantedFrom(body, caller.project ?? ofRequest);
    let refusedBy: FairleadError | undefined;
    try {
      const projectId = (await wantedProject(body, caller, deps)) ?? ofRequest;
      wanted = scoped({ ...wanted, projectId }, caller.project);
      requireSmallContent(wanted, deps);
      await requireMayImport(deps, caller, wanted);
    } catch (thrown) {
      if (!(thrown instanceof FairleadError)) throw thrown;
      refusedBy = thrown;
    }
    const warnings = noWarnings();
    const checks = checksOf(deps, caller, { tuple: wanted.tuple, warnings });
    members.push({ wanted, ...checks, precondition, warnings, refusedBy });
  }
  return members;
}

/** @returns the warnings of the members of a plan, in their order */
export function warningsOfMembers(
  deps: PlanningDeps,
  caller: Caller,
  {
    members,
    planned,
  }: {
    readonly members: readonly CheckedMember[];
    /** Begins with the members. */
    readonly planned: readonly PlannedMember[];
  },
): Promise<readonly (readonly string[])[]> {
  const applies = members.flatMap(({ wanted, warnings }, index) => {
    const { after: record } = planned[index] ?? {};
    return record === undefined ? [] : [{ wanted, record, warnings }];
  });
  return warningsOfAll(deps, caller, applies);
}

/** @throws InvalidRequest for a condition about several resources */
export function preconditionOfOne(
  { precondition }: Pick<WriteRequest, 'precondition'>,
  { length }: readonly unknown[],
): Precondition | undefined {
  const found = precondition();
  if (found === undefined || length === 1) return found;
  const msg = 'A request for several resources has no condition; send plan, the digest of its plan';
  throw new InvalidRequest([{ loc: ['header', 'If-Match'], msg, type: 'value_error' }]);
}

/** @returns what asks the authors of the types about all members at once */
export function askingAuthorsOf(
  deps: Pick<PlanningDeps, 'authorRules'>,
  request: Pick<WriteRequest, 'caller' | 'closed'>,
  members: readonly CheckedMember[],
): AskAuthors {
  const warnings = new Map(members.map((each) => [slashed(each.wanted.tuple), each.warnings]));
  return askingAuthors(deps, request, (about) => warnings.get(slashed(about)));
}

interface DigestedRequest {
  readonly caller: Caller;
  /** The body without the resources and an approved digest. */
  readonly request: JsonObject;
  /** The bodies of applies, in the order of the members. */
  readonly resources: readonly ApplyBody[];
  readonly plan: BatchPlan;
  /** The digest of an approved plan. */
  readonly approved: string | undefined;
}

/**
 * Beside the request and what is stored, the digest covers the schemas of the types.
 * @throws FairleadError `plan_stale`
 */
export async function approvedDigest(
  { definitions, planKey }: Pick<PlanningDeps, 'definitions' | 'planKey'>,
  { caller: { organization }, request, resources, plan, approved }: DigestedRequest,
): Promise<string> {
  const key = await planKey();
  const parts = new Map<string, Buffer>();
  await inTimeSlices(plan.members.entries(), ([index, { member, stored }]) => {
    const { tuple } = member.wanted;
    const type = schemasHash(definitions.schemasOf(organization, tuple));
    const asked = (resources[index] ?? null) as JsonValue;
    parts.set(slashed(tuple), planPart(key, slashed(tuple), { asked, stored, type }));
  });
  const digest = planDigest(key, request, parts);
  if (approved !== undefined && approved !== digest) throw planStale(approved, parts);
  return digest;
}

const hashes = new WeakMap<TypeSchemas, string>();

function schemasHash(schemas: TypeSchemas | undefined): string | null {
  if (schemas === undefined) return null;
  const known = hashes.get(schemas);
  if (known !== undefined) return known;
  const text = canonicalJson({ ...schemas } as JsonObject);
  const hash = createHash('sha256').update(text).digest('base64url');
  hashes.set(schemas, hash);
  return hash;
}

const maxNamed = 20;

function planStale(approved: string, parts: PlanParts): FairleadError {
  const changed = changedPlanParts(approved, parts);
  const named = changed.slice(0, maxNamed).join(', ');
  const what = changed.length === 0 ? 'The request is another one' : `Changed since: ${named}`;
  const context = { changed };
  return new FairleadError('plan_stale', `The plan is not the approved one. ${what}`, { context });
}

/** @throws FairleadError `plan_required` */
export function requireNoPlanNeeded(
  { whyApproved }: Pick<BatchPlan, 'whyApproved'>,
  approved: string | undefined,
): void {
  if (whyApproved === undefined || approved !== undefined) return;
  const message = `The request needs an approved plan: ${whyApproved}; look at its plan, and send the digest as plan`;
  throw new FairleadError('plan_required', message);
}

/** @throws InvalidRequest with the members that are blocked */
export function requireUnblocked(members: readonly PlannedMember[]): void {
  const blocked = members.flatMap(({ blockedBy: error }, index) =>
    error ? [{ index, error }] : [],
  );
  if (blocked.length > 0) throw memberRefused(blocked);
}

/** Logs why the storage has failed for members: their refusals do not say. One line for all, as they most likely have one cause. */
export function reportFailures(
  { onUnexpected }: Pick<WriteRequest, 'onUnexpected'>,
  committed: readonly CommittedMember[],
): void {
  const failed = committed.flatMap((each) =>
    each.outcome === 'refused' && each.error.code === 'unavailable' ? [each.error] : [],
  );
  const [first] = failed;
  if (first === undefined) return;
  onUnexpected({ error: first.cause ?? first, resources: failed.length });
}

/**
 * @param isRecorded whether the set says that it is complete
 * @throws FairleadError `set_incomplete`, or what refuses all members when none of them was written
 */
export function requireComplete(committed: readonly CommittedMember[], isRecorded = true): void {
  const refused = committed.flatMap((each, index) =>
    each.outcome === 'refused' ? [{ index, error: each.error }] : [],
  );
  const left = committed.filter(({ outcome }) => outcome !== 'applied' && outcome !== 'unchanged');
  if (left.length === 0 && isRecorded) return;
  // Nothing is half done: the refusals say more.
  if (refused.length > 0 && refused.length === committed.length) throw memberRefused(refused);
  const resources = committed.map(({ planned, ...each }) => ({
    resource: slashed(planned.member.wanted.tuple),
    change: planned.change,
    outcome: each.outcome,
    error:
      each.outcome === 'refused' ? { code: each.error.code, message: each.error.message } : null,
  }));
  const message =
    left.length === 0
      ? 'All resources were applied, but the set could not be recorded as complete'
      : `${left.length} of ${committed.length} resources were not applied`;
  throw new FairleadError('set_incomplete', message, { context: { resources } });
}
