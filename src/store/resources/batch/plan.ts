// Plans a batch: reads what its members have, checks all of them together, and says what each write would do. Nothing is written, so a
// refusal leaves everything as it was.

import type { ErrorCode } from '../../../api/errors.ts';
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { batchChangeOf, type MemberChange } from '../../../domain/apply-plans.ts';
import { FairleadError, InvalidRequest, type Violation } from '../../../domain/errors.ts';
import {
  defaultProjectId,
  type Organization,
  projectIdOf,
  slashed,
} from '../../../domain/identity.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import { type Key, keyFor } from '../../../kube/api.ts';
import { betweenSteps } from '../../../lib/turns.ts';
import type { ApplyOptions } from '../../interfaces.ts';
import { forEachConcurrently } from '../../parallel.ts';
import { firstLook } from '../apply/apply.ts';
import { planApply, type WritePlan, wantedSpecOf } from '../apply/apply-plan.ts';
import {
  dated,
  isImport,
  type PrepareDeps,
  type Prepared,
  prepareApply,
  refFor,
  requireRoom,
} from '../apply/prepare.ts';
import { readResource } from '../known-spec.ts';
import { whyProjectRequiresPlan } from '../plan-required.ts';
import { resourceRecord } from '../state.ts';
import { judgeByAuthors } from './author-rules.ts';
import { faresWithReplaced, replacedToo, usersOfReplaced, withChain } from './chains.ts';
import { type FactsDeps, factsAmong, type MemberFacts, type Touched, touchedBy } from './facts.ts';
import type { BatchMember, DecidedMember } from './member.ts';
import { atOnce, readOnce } from './read-once.ts';

export interface BatchOptions extends Pick<ApplyOptions, 'by' | 'traceparent' | 'askAuthors'> {
  /** Members whose immutable fields change are replaced; otherwise they are refused. */
  readonly replaces: boolean;
  /**
   * For a plan that is shown, or carried out as it was approved: it is made of what the API server has, and names what may pass or be
   * lifted instead of refusing it. Without it, the version that each write carries decides.
   */
  readonly isPreview: boolean;
  /** The set whose request this is. */
  readonly set?: { readonly name: string; readonly takes: ReadonlySet<string> } | undefined;
}

export interface BatchPlan {
  readonly options: BatchOptions;
  readonly members: readonly PlannedMember[];
  /** The resources that the request writes, as they would be: references and cycles see them. */
  readonly planned: ReadonlyMap<Key, Resource>;
  /** Resources of the request that are not in the way of a replacement of what they use. */
  readonly replacedTogether: ReadonlySet<Key>;
  /** Resources beside the members that get an UPDATE when an output that they use changes. */
  readonly touches: readonly Touched[];
  /** Why the request needs an approved plan: a clause about its project. */
  readonly whyApproved: string | undefined;
}

/** A member with what it depends on. */
export type PlannedMember = DecidedMember & MemberFacts;

export type PlanDeps = PrepareDeps & FactsDeps;

/** The codes of what passes by itself, or can be lifted. */
const passing: readonly ErrorCode[] = [
  'resource_busy',
  'resource_deleting',
  'resource_protected',
  'resource_in_use',
];

export interface MemberRead {
  readonly member: BatchMember;
  readonly existing: Resource | undefined;
}

/** @throws InvalidRequest with everything that is wrong with any member; its places begin with `body.resources` and the index */
export async function planBatch(
  deps: PlanDeps,
  organization: Organization,
  members: readonly BatchMember[],
  options: BatchOptions,
): Promise<BatchPlan> {
  const all: MemberRead[] = [];
  await forEachConcurrently(members.entries(), atOnce, async ([index, member]) => {
    const ref = refFor(organization, member.wanted);
    const isFresh = options.isPreview || member.precondition !== undefined;
    const existing = await (isFresh ? readResource(deps, ref) : firstLook(deps, organization, ref));
    all[index] = { member, existing };
  });
  return await planAmong(deps, organization, { all, options });
}

export interface PlanRequest {
  readonly all: readonly MemberRead[];
  readonly options: BatchOptions;
  /** Members of the set beside these, that no apply writes. */
  readonly others?: readonly DecidedMember[];
  /** @returns what else is wrong, once it is known how the members would be */
  readonly refusedBeside?: (
    planned: ReadonlyMap<Key, Resource>,
  ) => Promise<readonly MemberRefusal[]>;
}

/** @throws InvalidRequest with everything that is wrong */
export async function planAmong(
  deps: PlanDeps,
  organization: Organization,
  { all, options, others = [], refusedBeside }: PlanRequest,
): Promise<BatchPlan> {
  const repeated = refusedRepeats(all.map(({ member }) => member));
  const planned = await plannedAmong(organization, all);
  const replacedTogether = new Set(
    all.filter(faresWithReplaced).map(({ member }) => keyFor(refFor(organization, member.wanted))),
  );
  const together = { ...readOnce(deps), planned, replacedTogether };
  const decided: DecidedMember[] = [];
  const refusals: MemberRefusal[] = [];
  const planOne = async (index: number, plan: () => Promise<DecidedMember>) => {
    await betweenSteps();
    try {
      const found = await plan();
      decided[index] = found;
      if (found.blockedBy !== undefined && !options.isPreview) throw found.blockedBy;
    } catch (thrown) {
      if (!(thrown instanceof FairleadError)) throw thrown;
      refusals.push({ index, error: thrown });
    }
  };
  await forEachConcurrently(all.entries(), atOnce, ([index, read]) =>
    planOne(index, async () => {
      const refusedBy = read.member.refusedBy ?? repeated.get(index);
      if (refusedBy !== undefined) throw refusedBy;
      return await planMember(together, organization, { ...read, options });
    }),
  );
  // Each round finds the users of those that the round before has found.
  const chain = async () => {
    for (let chained = 0; options.replaces && chained <= all.length; chained += 1) {
      const users = usersOfReplaced(decided);
      if (users.size === 0) break;
      await forEachConcurrently(users.entries(), atOnce, ([index, through]) =>
        planOne(index, async () => {
          const { member, existing } = decided[index] as DecidedMember;
          const again = { member: replacedToo(member), existing, options };
          return withChain(await planMember(together, organization, again), through);
        }),
      );
    }
  };
  await chain();
  const judged = {
    decided,
    refusals,
    options,
    chain,
    replan: replanning(together, organization, options),
  };
  await judgeByAuthors(together, organization, judged);
  refusals.push(...((await refusedBeside?.(planned)) ?? []));
  if (refusals.length > 0) throw memberRefused(refusals);
  const objects = decided.flatMap(({ prepared }) =>
    prepared !== undefined && 'object' in prepared ? [prepared.object] : [],
  );
  requireRoom(deps, organization, objects);
  const members = [...decided, ...others];
  const facts = await factsAmong(deps, organization, members);
  return {
    options,
    members: members.map((each, index) => ({ ...each, ...(facts[index] as MemberFacts) })),
    planned,
    replacedTogether,
    touches: touchedBy(deps, organization, decided),
    whyApproved: await whyProjectRequiresPlan(
      deps,
      organization,
      members.map(({ spec }) => projectIdOf({ metadata: organization, spec })),
    ),
  };
}

/** @returns by their places, the refusals of resources that the request has already */
function refusedRepeats(members: readonly BatchMember[]): ReadonlyMap<number, FairleadError> {
  const seen = new Map<string, number>();
  const refused = new Map<number, FairleadError>();
  for (const [index, { wanted }] of members.entries()) {
    const ref = slashed(wanted.tuple);
    const first = seen.get(ref);
    if (first === undefined) seen.set(ref, index);
    else {
      const msg = `${ref} is resource ${first} of this request, too; send each resource once`;
      const violation = { loc: ['body'], msg, type: 'value_error', input: ref };
      refused.set(index, new InvalidRequest([violation]));
    }
  }
  return refused;
}

async function plannedAmong(
  organization: Organization,
  all: readonly MemberRead[],
): Promise<ReadonlyMap<Key, Resource>> {
  const planned = new Map<Key, Resource>();
  for (const { member, existing } of all) {
    await betweenSteps();
    const { wanted } = member;
    const plan = planApply(existing, wanted, defaultProjectId(organization));
    if (plan.do === 'refuse') continue;
    const ref = refFor(organization, wanted);
    planned.set(keyFor(ref), asPlanned(ref, existing, plan.spec));
  }
  return planned;
}

function asPlanned(
  ref: { readonly namespace: string; readonly name: string },
  existing: Resource | undefined,
  spec: ResourceSpec,
): Resource {
  return existing === undefined
    ? { apiVersion: '', kind: '', metadata: ref, spec }
    : { ...existing, spec };
}

type MemberRequest = MemberRead & { readonly options: BatchOptions };

/** @returns what plans a member again, with what it wants by then */
function replanning(deps: PrepareDeps, organization: Organization, options: BatchOptions) {
  return (member: BatchMember, existing: Resource | undefined) =>
    planMember(deps, organization, { member, existing, options });
}

/** Plans one member again, after a lost race. @throws FairleadError what refuses it for good, or what blocks it */
export async function planAgain(
  deps: PrepareDeps,
  organization: Organization,
  request: MemberRequest,
): Promise<DecidedMember> {
  const { options } = request;
  const decided = [await planMember(deps, organization, request)];
  const refusals: MemberRefusal[] = [];
  const replan = replanning(deps, organization, options);
  await judgeByAuthors(deps, organization, { decided, refusals, options, replan });
  const [refused] = refusals;
  const [{ blockedBy } = {}] = decided;
  const error = refused?.error ?? blockedBy;
  if (error !== undefined) throw error;
  return decided[0] as DecidedMember;
}

/** @throws FairleadError what refuses it for good */
async function planMember(
  deps: PrepareDeps,
  organization: Organization,
  { member, existing, options }: MemberRequest,
): Promise<DecidedMember> {
  const prepare = async (asked: BatchMember): Promise<DecidedMember> => {
    const { by, traceparent } = options;
    const request = { ...asked, existing, by, traceparent };
    const prepared = await prepareApply(deps, organization, request);
    // After the checks of its project: a set of another one stays unknown.
    requireOwnSet(existing, options.set);
    return decidedMember(deps, { member: asked, existing, options }, prepared);
  };
  const blocked = (thrown: unknown, forcedBy: readonly FieldPath[] = []): DecidedMember => {
    const isPassing = thrown instanceof FairleadError && passing.includes(thrown.code);
    if (!isPassing || existing === undefined) throw thrown;
    requireOwnSet(existing, options.set);
    return blockedMember(organization, { member, existing, forcedBy, blockedBy: thrown });
  };
  try {
    return await prepare(member);
  } catch (thrown) {
    const forcedBy = options.replaces ? immutablesIn(thrown) : [];
    if (forcedBy.length === 0) return blocked(thrown);
    try {
      return await prepare({ ...member, wanted: { ...member.wanted, replace: true } });
    } catch (refused) {
      return blocked(refused, forcedBy);
    }
  }
}

function decidedMember(
  { clock }: PrepareDeps,
  { member, existing, options }: MemberRequest,
  prepared: Prepared,
): DecidedMember {
  const before = existing && resourceRecord(existing);
  const { spec } = 'object' in prepared ? prepared.object : prepared.plan;
  const known = { member, existing, spec, before, blockedBy: undefined, prepared };
  if (!('object' in prepared)) {
    const after = before ?? resourceRecord(prepared.existing);
    return { ...known, change: 'none', after, forcedBy: [] };
  }
  const { plan, object, forcedBy } = prepared;
  const change = isImport(plan, existing) ? 'import' : changeOf(plan, existing, options);
  return { ...known, change, after: resourceRecord(dated(object, clock)), forcedBy };
}

function changeOf(
  { change, spec }: WritePlan,
  existing: Resource | undefined,
  { set }: BatchOptions,
): MemberChange {
  const before = existing?.spec.set;
  const isOfSet = set !== undefined && change === 'options' && before !== spec.set;
  if (!isOfSet) return batchChangeOf(change);
  if (spec.set === undefined) return 'leave';
  return before === undefined ? 'join' : 'take';
}

/** @throws FairleadError `owned_by_set` */
function requireOwnSet(existing: Resource | undefined, set: BatchOptions['set']): void {
  const owner = existing?.spec.set;
  if (set === undefined || existing === undefined || owner === undefined) return;
  const name = slashed(existing.spec);
  if (owner === set.name || set.takes.has(name)) return;
  const message = `Resource ${name} is a member of set ${owner}; name it in take to move it`;
  throw new FairleadError('owned_by_set', message, { context: { resource: name, set: owner } });
}

function blockedMember(
  organization: Organization,
  {
    member,
    existing,
    ...refused
  }: MemberRead & Pick<DecidedMember, 'forcedBy' | 'blockedBy'> & { readonly existing: Resource },
): DecidedMember {
  const { wanted } = member;
  const spec = wantedSpecOf(existing, wanted, defaultProjectId(organization));
  const before = resourceRecord(existing);
  const after = resourceRecord({ ...existing, spec });
  const change = refused.forcedBy.length > 0 || wanted.replace === true ? 'replace' : 'update';
  return { member, existing, spec, before, after, change, prepared: undefined, ...refused };
}

/** @returns the paths in the config, when nothing but immutable fields refuses an apply */
function immutablesIn(thrown: unknown): readonly FieldPath[] {
  if (!(thrown instanceof InvalidRequest)) return [];
  const { violations } = thrown;
  if (violations.some(({ type }) => type !== 'immutable')) return [];
  return violations.map(({ loc: [, , ...path] }) => path.map(String));
}

export interface MemberRefusal {
  /** Its place in the request. */
  readonly index: number;
  readonly error: FairleadError;
  /** The field of the request that is refused, where it is none of its resources. */
  readonly loc?: readonly string[];
}

/** @returns one refusal for all members; its code is theirs when they have the same */
export function memberRefused(refusals: readonly MemberRefusal[]): FairleadError {
  const codes = new Set(refusals.map(({ error }) => error.code));
  const [code = 'invalid'] = codes;
  const inOrder = refusals.toSorted((one, other) => one.index - other.index);
  const violations = inOrder.flatMap(({ index, error, loc }): readonly Violation[] => {
    const at = loc ?? ['body', 'resources', index];
    if (!(error instanceof InvalidRequest)) {
      return [{ loc: at, msg: error.message, type: error.code }];
    }
    return error.violations.map(({ loc: [, ...path], ...rest }) => ({
      ...rest,
      loc: [...at, ...path],
    }));
  });
  return new InvalidRequest(violations, { code: codes.size === 1 ? code : 'invalid' });
}
