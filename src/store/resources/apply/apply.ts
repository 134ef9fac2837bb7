// Applies a resource: decides on the stored object, checks, writes exactly that version, and decides again after a lost race.
// A preview takes the same steps and stops before the write.

import { type Resource, resourceFinalizer } from '../../../crds/resource.ts';
import { storedName } from '../../../domain/actor.ts';
import { FairleadError } from '../../../domain/errors.ts';
import {
  defaultProjectId,
  keyOf,
  type Organization,
  objectNameOf,
  projectIdOf,
  slashed,
} from '../../../domain/identity.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { betweenSteps } from '../../../lib/turns.ts';
import type { ApplyOptions, ApplyPreview } from '../../interfaces.ts';
import { annotation, apiVersion, kinds, label } from '../../kinds.ts';
import { maxRounds, put } from '../../put.ts';
import type { ResourceRecord, WantedResource } from '../../records.ts';
import type { DependencyIndex } from '../dependencies/dependency-index.ts';
import type { HistoryKeeper } from '../history/keeper.ts';
import { readResource } from '../known-spec.ts';
import type { IdentityIndex } from '../managed-objects/identity-index.ts';
import { requireValidOptions } from '../options.ts';
import { requirePermitted } from '../precondition.ts';
import { resourceRecord } from '../state.ts';
import { traceOf } from '../trace.ts';
import { isPendingImport } from './apply-adopt.ts';
import {
  type Accepted,
  type CheckDeps,
  type Commit,
  keepOnlyIfOpen,
  requireExistingProject,
  requireOpenProject,
  requireValid,
} from './apply-checks.ts';
import { type ApplyPlan, planApply, type WritePlan, withVersion } from './apply-plan.ts';
import type { ResourceQuota } from './quota.ts';
import { appliedBytes, refusalToStore } from './storage-limit.ts';

export interface ApplyDeps extends CheckDeps {
  readonly clock: Clock;
  readonly quota: Pick<ResourceQuota, 'refusal' | 'refusalOf'>;
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'cycleThrough' | 'note'>;
  readonly claimants: Pick<IdentityIndex, 'note'>;
  readonly history: HistoryKeeper;
}

type ApplyRequest = Omit<ApplyOptions, 'scope'> & { readonly wanted: WantedResource };
type Ref = { readonly namespace: string; readonly name: string };

/**
 * Applies in rounds: each plans and checks against the resource that was read, and writes on its version; a lost race is another round.
 * The project is checked before the first write and after it: its deletion marks it and then looks for resources, so that one of the
 * two sees the other. The provider is checked after the write for the same reason. A resource that came too late is taken back, also
 * one of a round whose answer was lost: `tried` remembers that such a round may have created it.
 */
export async function apply(
  deps: ApplyDeps,
  organization: Organization,
  { wanted, by, precondition, traceparent, ...validators }: ApplyRequest,
): Promise<ResourceRecord> {
  const ref = refFor(organization, wanted);
  // Another replica may have created what an update of its options names.
  const isUpdate = wanted.lifecycle === undefined;
  let existing = await (precondition === undefined && !isUpdate
    ? firstLook(deps, organization, ref)
    : readResource(deps, ref));
  let tried = false;
  for (let round = 0; round < maxRounds; round += 1) {
    const plan = permittedPlan(organization, existing, { wanted, precondition });
    const project = projectIdOf({ metadata: organization, spec: plan.spec });
    const at = { organization, project, asked: wanted.projectId };
    await requireOpenProject(deps, { ...at, existing, tried });
    if (plan.do === 'leave') {
      await keepOnlyIfOpen(deps, organization, { resource: plan.existing, brought: tried });
      return resourceRecord(plan.existing);
    }
    const kept = keepReplaced(deps, organization, { existing, plan });
    requireValidOptions(existing?.spec, plan.spec, optionsAsked(wanted, deps));
    const { valid } = await validPlan(deps, organization, { plan, existing, ...validators });
    await betweenSteps();
    const marked = markedBy(deps, organization, { existing, plan: valid, by, traceparent });
    await betweenSteps();
    const object = objectFor(ref, existing, marked);
    tried ||= existing === undefined;
    const written = await store(deps, organization, { plan, object, kept });
    if (written !== undefined) {
      const brought = existing === undefined;
      if (brought) await requireOpenProject(deps, { ...at, existing: written, tried });
      await keepOnlyIfOpen(deps, organization, { resource: written, brought });
      deps.dependencies.note(written);
      deps.claimants.note(written);
      return resourceRecord(written);
    }
    existing = await readResource(deps, ref);
  }
  throw new FairleadError(
    'conflict',
    `Another client changes resource ${slashed(wanted.tuple)} at the same time; try again`,
  );
}

/** @returns the plan with the version of the type that the config has; a draft has the wanted one, which nobody validated */
async function validPlan(
  deps: ApplyDeps,
  organization: Organization,
  commit: Commit,
): Promise<ValidPlan> {
  const { plan, existing } = commit;
  if (!plan.commits) return { valid: plan, forcedBy: [] };
  const { version, forcedBy } = await requireValid(deps, organization, commit);
  return { valid: withVersion(plan, existing, version), forcedBy };
}

interface ValidPlan extends Pick<Accepted, 'forcedBy'> {
  readonly valid: WritePlan;
}

function optionsAsked({ options = {}, ofSet }: WantedResource, { clock }: ApplyDeps) {
  return { wanted: options, now: clock.now(), ofSet };
}

/** @returns what an apply would do now; nothing is written */
export async function previewApply(
  deps: ApplyDeps,
  organization: Organization,
  { wanted, by, precondition, ...validators }: ApplyRequest,
): Promise<ApplyPreview> {
  const ref = refFor(organization, wanted);
  const existing = await readResource(deps, ref);
  const plan = permittedPlan(organization, existing, { wanted, precondition });
  const { spec } = plan;
  const project = projectIdOf({ metadata: organization, spec });
  const at = { organization, project, asked: wanted.projectId };
  await requireExistingProject(deps, { ...at, existing });
  if (plan.do === 'leave') return { change: 'none', record: resourceRecord(plan.existing) };
  requireValidOptions(existing?.spec, spec, optionsAsked(wanted, deps));
  const checked = await validPlan(deps, organization, { plan, existing, ...validators });
  const { valid, forcedBy } = checked;
  if (plan.commits) {
    // An apply checks the provider of a new resource after the write.
    await deps.providers.requireOpen(organization, spec.provider);
  }
  const marked = markedBy(deps, organization, { existing, plan: valid, by });
  const object = objectFor(ref, existing, marked);
  requireStorable(plan, object);
  const refusal = deps.quota.refusalOf(organization, object);
  if (refusal !== undefined) throw refusal;
  const { creationTimestamp = marked.now.toISOString() } = object.metadata;
  const metadata = { ...object.metadata, creationTimestamp };
  const record = resourceRecord({ ...object, metadata });
  if (plan.change === 'replace') return { change: plan.change, record, forcedBy };
  return { change: isImport(plan, existing) ? 'import' : plan.change, record };
}

/** A repeated import stays a retry. */
function isImport({ change, spec, commits }: WritePlan, existing: Resource | undefined): boolean {
  const isNew = commits && (change === 'create' || change === 'update');
  return isNew && isPendingImport({ spec, status: existing?.status });
}

/** @throws FairleadError when the lifecycle or the precondition does not permit the change */
function permittedPlan(
  organization: Organization,
  existing: Resource | undefined,
  { wanted, precondition }: Pick<ApplyRequest, 'wanted' | 'precondition'>,
): Exclude<ApplyPlan, { do: 'refuse' }> {
  const plan = planApply(existing, wanted, defaultProjectId(organization));
  // An apply of stored content needs no permission: the response to an earlier request may have been lost.
  if (plan.do === 'leave') return plan;
  requirePermitted(precondition, existing, slashed(wanted.tuple));
  if (plan.do === 'refuse') throw plan.error;
  return plan;
}

function refFor({ namespace }: Organization, { tuple }: WantedResource): Ref {
  return { namespace, name: objectNameOf(keyOf(tuple)) };
}

function firstLook(
  deps: ApplyDeps,
  organization: Organization,
  ref: Ref,
): Promise<Resource | undefined> {
  // With a full quota, a resource missing in this replica's cache must not be rejected as a new one.
  const look = deps.known(ref) !== undefined || deps.quota.refusal(organization) !== undefined;
  return look ? readResource(deps, ref) : Promise.resolve(undefined);
}

/** Returns whether the history has what a change writes. */
function isRevision({ change }: WritePlan): boolean {
  return change !== 'retry' && change !== 'tags';
}

/** Runs while the config is validated. Never from the cache: an old content would take the place of a newer one. */
function keepReplaced(
  { history }: ApplyDeps,
  organization: Organization,
  { existing, plan }: { existing: Resource | undefined; plan: WritePlan },
): Promise<void> | undefined {
  if (existing === undefined || !isRevision(plan)) return undefined;
  return history.keep(organization, existing);
}

interface PlannedWrite {
  readonly plan: WritePlan;
  readonly object: Resource;
  /** Resolves when the replaced content is in the history: after the write, nothing else has it. */
  readonly kept: Promise<void> | undefined;
}

/** @throws FairleadError when the quota is exceeded, or when the result could not be stored */
async function store(
  { client, quota }: ApplyDeps,
  organization: Organization,
  { plan, object, kept }: PlannedWrite,
): Promise<Resource | undefined> {
  requireStorable(plan, object);
  const refusal = quota.refusalOf(organization, object);
  if (refusal !== undefined) throw refusal;
  await kept;
  return await put(client, kinds.resource, object);
}

/** Changes of the content only: what another release has stored can still be retried and tagged. */
function requireStorable({ change }: WritePlan, object: Resource): void {
  if (change !== 'create' && change !== 'update' && change !== 'replace') return;
  const message = refusalToStore(object, appliedBytes(object.spec.config as JsonObject));
  if (message !== undefined) throw new FairleadError('too_large', message);
}

interface ApplyMarked {
  readonly spec: Resource['spec'];
  readonly now: Date;
  /** null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
}

function markedBy(
  { clock, history }: ApplyDeps,
  organization: Organization,
  {
    existing,
    plan,
    by,
    traceparent,
  }: Pick<ApplyRequest, 'by' | 'traceparent'> & { existing: Resource | undefined; plan: WritePlan },
): ApplyMarked {
  const now = clock.now();
  const { spec } = plan;
  const name = by && storedName(by);
  const annotations = {
    [annotation.updatedAt]: now.toISOString(),
    ...(by === undefined ? {} : { [annotation.appliedBy]: by.subject }),
    ...(name === undefined ? {} : { [annotation.appliedByName]: name }),
    ...(traceparent === undefined ? {} : { [annotation.traceparent]: traceOf(traceparent, spec) }),
    ...(isRevision(plan) ? history.markFor(organization, existing, { spec, now, by }) : {}),
  };
  return { spec, now, annotations };
}

function objectFor(
  ref: Ref,
  existing: Resource | undefined,
  { spec, annotations: added }: ApplyMarked,
): Resource {
  const head = { apiVersion, kind: kinds.resource.kind };
  if (existing !== undefined) {
    const {
      [annotation.traceparent]: _trace,
      [annotation.appliedByName]: _name,
      ...kept
    } = existing.metadata.annotations ?? {};
    const annotations = withoutNulls({ ...kept, ...added });
    return { ...existing, ...head, metadata: { ...existing.metadata, annotations }, spec };
  }
  const labels = { [label.provider]: spec.provider };
  const finalizers = [resourceFinalizer];
  const annotations = withoutNulls(added);
  return { ...head, metadata: { ...ref, finalizers, labels, annotations }, spec };
}

function withoutNulls(all: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).filter((each): each is [string, string] => each[1] !== null),
  );
}
