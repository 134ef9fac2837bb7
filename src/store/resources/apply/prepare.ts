// Decides and checks an apply on the resource that was read, up to the object to write. Nothing is written.

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
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { betweenSteps } from '../../../lib/turns.ts';
import type { ApplyOptions, ApplyPreview } from '../../interfaces.ts';
import { annotation, apiVersion, kinds, label } from '../../kinds.ts';
import type { WantedResource } from '../../records.ts';
import type { HistoryKeeper } from '../history/keeper.ts';
import { readResource } from '../known-spec.ts';
import { requireValidOptions } from '../options.ts';
import { requirePermitted } from '../precondition.ts';
import { resourceRecord } from '../state.ts';
import { traceOf } from '../trace.ts';
import { isPendingImport } from './apply-adopt.ts';
import { type CheckDeps, requireExistingProject, requireValid } from './apply-checks.ts';
import { type ApplyPlan, planApply, type WritePlan, withVersion } from './apply-plan.ts';
import { forcedByAuthor } from './author-rules.ts';
import type { Accepted, Commit } from './immutables.ts';
import type { ResourceQuota } from './quota.ts';
import { appliedBytes, refusalToStore } from './storage-limit.ts';

export interface PrepareDeps extends CheckDeps {
  readonly clock: Clock;
  readonly quota: Pick<ResourceQuota, 'refusal' | 'growthOf' | 'refusalOf'>;
  readonly history: HistoryKeeper;
}

export type ApplyRequest = Omit<ApplyOptions, 'scope'> & { readonly wanted: WantedResource };
export type Ref = { readonly namespace: string; readonly name: string };
/** A plan that is not refused. */
export type PermittedPlan = Exclude<ApplyPlan, { do: 'refuse' }>;

/** The write of an apply on the version that was read, or nothing to write. */
export type Prepared =
  | { readonly plan: Exclude<PermittedPlan, WritePlan>; readonly existing: Resource }
  | ({ readonly plan: WritePlan; readonly existing: Resource | undefined } & PreparedWrite);

export interface PreparedWrite {
  readonly object: Resource;
  /** Paths in the config of the immutable fields that a replacement changes. */
  readonly forcedBy: readonly FieldPath[];
  /** The version of the type that the config has; undefined for a draft that names none. */
  readonly typeVersion: number | undefined;
}

/** @returns what an apply would do now; nothing is written */
export async function previewApply(
  deps: PrepareDeps,
  organization: Organization,
  request: ApplyRequest,
): Promise<ApplyPreview> {
  const existing = await readResource(deps, refFor(organization, request.wanted));
  const prepared = await prepareApply(deps, organization, { existing, ...request });
  if (!('object' in prepared)) return { change: 'none', record: resourceRecord(prepared.existing) };
  const { plan, object, forcedBy } = prepared;
  requireRoom(deps, organization, [object]);
  const record = resourceRecord(dated(object, deps.clock));
  if (plan.change === 'replace') return { change: plan.change, record, forcedBy };
  return { change: isImport(plan, existing) ? 'import' : plan.change, record };
}

/** @returns the object of a preview, which has a time of its creation, too */
export function dated(object: Resource, clock: Clock): Resource {
  const { creationTimestamp = clock.now().toISOString() } = object.metadata;
  return { ...object, metadata: { ...object.metadata, creationTimestamp } };
}

/** Checks what an apply checks before its write, but the quota, which counts all writes of a request. @throws the errors of an apply */
export async function prepareApply(
  deps: PrepareDeps,
  organization: Organization,
  { existing, ...request }: ApplyRequest & { readonly existing: Resource | undefined },
): Promise<Prepared> {
  const { wanted } = request;
  const plan = permittedPlan(organization, existing, request);
  const project = projectIdOf({ metadata: organization, spec: plan.spec });
  const at = { organization, project, asked: wanted.projectId };
  await requireExistingProject(deps, { ...at, existing });
  if (plan.do === 'leave') return { plan, existing: plan.existing };
  const written = await prepareWrite(deps, organization, { ...request, plan, existing });
  // An apply checks the provider of a new resource after the write.
  if (plan.commits) await deps.providers.requireOpen(organization, plan.spec.provider);
  requireStorable(plan, written.object);
  return { plan, existing, ...written };
}

/** @throws FairleadError `limit_reached` when the quota has no room for all of the objects */
export function requireRoom(
  { quota }: Pick<PrepareDeps, 'quota'>,
  organization: Organization,
  objects: readonly Resource[],
): void {
  const refusal = quota.refusalOf(organization, quota.growthOf(objects));
  if (refusal !== undefined) throw refusal;
}

/** Validates what a plan writes. @returns the object to write */
export async function prepareWrite(
  deps: PrepareDeps,
  organization: Organization,
  {
    plan,
    existing,
    wanted,
    by,
    traceparent,
    askAuthors,
    ...validators
  }: ApplyRequest & Pick<Commit, 'plan' | 'existing'>,
): Promise<PreparedWrite> {
  requireValidOptions(existing?.spec, plan.spec, optionsAsked(wanted, deps));
  const { valid, forcedBy, version } = await validPlan(deps, organization, {
    ...validators,
    plan,
    existing,
  });
  const written = { plan: valid, spec: valid.spec, existing, typeVersion: version };
  const byAuthor = await forcedByAuthor(deps, organization, { ...written, askAuthors });
  await betweenSteps();
  const marked = markedBy(deps, organization, { existing, plan: valid, by, traceparent });
  await betweenSteps();
  return {
    object: objectFor(refFor(organization, wanted), existing, marked),
    forcedBy: [...forcedBy, ...byAuthor],
    typeVersion: version,
  };
}

/** @returns the plan with the version of the type that the config has; a draft has the wanted one, which nobody validated */
async function validPlan(
  deps: PrepareDeps,
  organization: Organization,
  commit: Commit,
): Promise<ValidPlan> {
  const { plan, existing } = commit;
  if (!plan.commits) return { valid: plan, forcedBy: [], version: plan.version.given };
  const { version, forcedBy } = await requireValid(deps, organization, commit);
  return { valid: withVersion(plan, existing, version), forcedBy, version };
}

interface ValidPlan extends Accepted {
  readonly valid: WritePlan;
}

function optionsAsked({ options = {}, ofSet }: WantedResource, { clock }: PrepareDeps) {
  return { wanted: options, now: clock.now(), ofSet };
}

/** A repeated import stays a retry. */
export function isImport(
  { change, spec, commits }: WritePlan,
  existing: Resource | undefined,
): boolean {
  const isNew = commits && (change === 'create' || change === 'update');
  return isNew && isPendingImport({ spec, status: existing?.status });
}

/** @throws FairleadError when the lifecycle or the precondition does not permit the change */
export function permittedPlan(
  organization: Organization,
  existing: Resource | undefined,
  { wanted, precondition }: Pick<ApplyRequest, 'wanted' | 'precondition'>,
): PermittedPlan {
  const plan = planApply(existing, wanted, defaultProjectId(organization));
  // An apply of stored content needs no permission: the response to an earlier request may have been lost.
  if (plan.do === 'leave') return plan;
  requirePermitted(precondition, existing, slashed(wanted.tuple));
  if (plan.do === 'refuse') throw plan.error;
  return plan;
}

export function refFor({ namespace }: Organization, { tuple }: WantedResource): Ref {
  return { namespace, name: objectNameOf(keyOf(tuple)) };
}

/** Returns whether the history has what a change writes. */
export function isRevision({ change }: WritePlan): boolean {
  return change !== 'retry' && change !== 'tags';
}

/** Changes of the content only: what another release has stored can still be retried and tagged. */
export function requireStorable({ change }: WritePlan, object: Resource): void {
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
  { clock, history }: PrepareDeps,
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
