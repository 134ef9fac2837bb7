// Plans a batch: reads what its members have, checks all of them together, and says what each write would do. Nothing is written, so a
// refusal leaves everything as it was.

import type { ErrorCode } from '../../../api/errors.ts';
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { FairleadError, InvalidRequest, type Violation } from '../../../domain/errors.ts';
import { defaultProjectId, type Organization, slashed } from '../../../domain/identity.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import { type Key, keyFor } from '../../../kube/api.ts';
import { betweenSteps } from '../../../lib/turns.ts';
import type { ApplyOptions } from '../../interfaces.ts';
import { forEachConcurrently } from '../../parallel.ts';
import type { ResourceRecord } from '../../records.ts';
import { firstLook } from '../apply/apply.ts';
import { planApply, wantedSpecOf } from '../apply/apply-plan.ts';
import {
  type ApplyRequest,
  dated,
  isImport,
  type PrepareDeps,
  type Prepared,
  prepareApply,
  refFor,
} from '../apply/prepare.ts';
import { readResource } from '../known-spec.ts';
import { resourceRecord } from '../state.ts';
import { factsOf, type MemberFacts, noFacts, type Touched, touchedBy } from './facts.ts';
import type { BatchMember, DecidedMember } from './member.ts';
import { atOnce, readOnce } from './read-once.ts';

export interface BatchOptions extends Pick<ApplyOptions, 'by' | 'traceparent'> {
  /** Members whose immutable fields change are replaced; otherwise they are refused. */
  readonly replaces: boolean;
  /** Tells what may pass or be lifted, and does not refuse it. */
  readonly isPreview: boolean;
}

export interface BatchPlan {
  readonly members: readonly PlannedMember[];
  /** Resources beside the members that get an UPDATE when an output that they use changes. */
  readonly touches: readonly Touched[];
}

/** A member with what it depends on. */
export type PlannedMember = DecidedMember & MemberFacts;

export type PlanDeps = PrepareDeps & Parameters<typeof touchedBy>[0];

/** The codes of what passes by itself, or can be lifted. */
const passing: readonly ErrorCode[] = [
  'resource_busy',
  'resource_deleting',
  'resource_protected',
  'resource_in_use',
];

interface MemberRead {
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
  requireDifferent(members);
  const all: MemberRead[] = [];
  await forEachConcurrently(members.entries(), atOnce, async ([index, member]) => {
    const ref = refFor(organization, member.wanted);
    const isAsIs = member.precondition === undefined;
    const existing = await (isAsIs ? firstLook(deps, organization, ref) : readResource(deps, ref));
    all[index] = { member, existing };
  });
  const together = await withPlanned(readOnce(deps), organization, all);
  const planned: DecidedMember[] = [];
  const refusals: { readonly index: number; readonly error: FairleadError }[] = [];
  await forEachConcurrently(all.entries(), atOnce, async ([index, read]) => {
    await betweenSteps();
    try {
      const found = await planMember(together, organization, { ...read, options });
      planned[index] = found;
      if (found.blockedBy !== undefined && !options.isPreview) throw found.blockedBy;
    } catch (thrown) {
      if (!(thrown instanceof FairleadError)) throw thrown;
      refusals.push({ index, error: thrown });
    }
  });
  if (refusals.length > 0) {
    throw memberRefused(refusals.toSorted((one, other) => one.index - other.index));
  }
  const objects = planned.flatMap(({ prepared }) =>
    prepared !== undefined && 'object' in prepared ? [prepared.object] : [],
  );
  const overQuota = deps.quota.refusalOf(organization, objects);
  if (overQuota !== undefined) throw overQuota;
  const facts = factsOf(deps, organization, planned);
  return {
    members: planned.map((each, index) => ({ ...each, ...(facts[index] ?? noFacts) })),
    touches: touchedBy(deps, organization, planned),
  };
}

function requireDifferent(members: readonly BatchMember[]): void {
  const seen = new Map<string, number>();
  const violations = members.flatMap(({ wanted: { tuple } }, index): readonly Violation[] => {
    const ref = slashed(tuple);
    const first = seen.get(ref);
    if (first === undefined) {
      seen.set(ref, index);
      return [];
    }
    const msg = `${ref} is resource ${first} of this request, too; send each resource once`;
    return [{ loc: ['body', 'resources', index], msg, type: 'value_error', input: ref }];
  });
  if (violations.length > 0) throw new InvalidRequest(violations);
}

/** @returns dependencies whose checks see the members as they would be */
async function withPlanned(
  deps: PrepareDeps,
  organization: Organization,
  all: readonly MemberRead[],
): Promise<PrepareDeps> {
  const planned = new Map<Key, Resource>();
  for (const { member, existing } of all) {
    await betweenSteps();
    const { wanted } = member;
    const plan = planApply(existing, wanted, defaultProjectId(organization));
    if (plan.do === 'refuse') continue;
    const ref = refFor(organization, wanted);
    planned.set(keyFor(ref), asPlanned(ref, existing, plan.spec));
  }
  return { ...deps, planned };
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

/** @throws FairleadError what refuses it for good */
async function planMember(
  deps: PrepareDeps,
  organization: Organization,
  { member, existing, options }: MemberRequest,
): Promise<DecidedMember> {
  const { by, traceparent, replaces } = options;
  const request = { ...member, by, traceparent };
  const before = existing && resourceRecord(existing);
  const read = { request, existing, before };
  const blocked = (thrown: unknown, forcedBy: readonly FieldPath[] = []): DecidedMember => {
    const isPassing = thrown instanceof FairleadError && passing.includes(thrown.code);
    if (!isPassing || existing === undefined) throw thrown;
    return blockedMember(organization, { ...read, existing, forcedBy, blockedBy: thrown });
  };
  try {
    const prepared = await prepareApply(deps, organization, { existing, ...request });
    return plannedMember(deps, read, prepared);
  } catch (thrown) {
    const forcedBy = replaces ? immutablesIn(thrown) : [];
    if (forcedBy.length === 0) return blocked(thrown);
    const wanted = { ...member.wanted, replace: true };
    const replacing = { ...request, wanted };
    try {
      const prepared = await prepareApply(deps, organization, { existing, ...replacing });
      return plannedMember(deps, { ...read, request: replacing }, prepared);
    } catch (refused) {
      return blocked(refused, forcedBy);
    }
  }
}

interface ReadMember {
  readonly request: ApplyRequest;
  readonly existing: Resource | undefined;
  readonly before: ResourceRecord | undefined;
}

function plannedMember(
  { clock }: PrepareDeps,
  { request: { wanted }, existing, before }: ReadMember,
  prepared: Prepared,
): DecidedMember {
  const { spec } = 'object' in prepared ? prepared.object : prepared.plan;
  const known = { wanted, existing, spec, before, blockedBy: undefined, prepared };
  if (!('object' in prepared)) {
    const after = before ?? resourceRecord(prepared.existing);
    return { ...known, change: 'none', after, forcedBy: [] };
  }
  const { plan, object, forcedBy } = prepared;
  const change = isImport(plan, existing) ? 'import' : plan.change;
  return { ...known, change, after: resourceRecord(dated(object, clock)), forcedBy };
}

function blockedMember(
  organization: Organization,
  {
    request: { wanted },
    existing,
    before,
    ...refused
  }: ReadMember & Pick<DecidedMember, 'forcedBy' | 'blockedBy'> & { readonly existing: Resource },
): DecidedMember {
  const spec = wantedSpecOf(existing, wanted, defaultProjectId(organization));
  const after = resourceRecord({ ...existing, spec });
  const change = refused.forcedBy.length > 0 || wanted.replace === true ? 'replace' : 'update';
  return { wanted, existing, spec, before, after, change, prepared: undefined, ...refused };
}

/** @returns the paths in the config, when nothing but immutable fields refuses an apply */
function immutablesIn(thrown: unknown): readonly FieldPath[] {
  if (!(thrown instanceof InvalidRequest)) return [];
  const { violations } = thrown;
  if (violations.some(({ type }) => type !== 'immutable')) return [];
  return violations.map(({ loc: [, , ...path] }) => path.map(String));
}

/** @returns one refusal for all members; its code is theirs when they have the same */
export function memberRefused(
  refusals: readonly { readonly index: number; readonly error: FairleadError }[],
): FairleadError {
  const codes = new Set(refusals.map(({ error }) => error.code));
  const [code = 'invalid'] = codes;
  const violations = refusals.flatMap(({ index, error }): readonly Violation[] => {
    const at = ['body', 'resources', index];
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
