// Decides what an apply writes: the rows of the lifecycle table as a list of rules. Pure.
import type { ErrorCode } from '../../../api/errors.ts';
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { FairleadError, InvalidRequest } from '../../../domain/errors.ts';
import { projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle, type StoredState } from '../../../domain/lifecycle.ts';
import { firstMatch } from '../../../lib/first-match.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import type { ApplyChange, WantedVersion } from '../../interfaces.ts';
import type { ResourceRecord, WantedResource } from '../../records.ts';
import { declaredHashOf } from '../content.ts';
import {
  hasSameOptions,
  isProtected,
  isReadOnly,
  withAdopt,
  withOptions,
  withoutHolds,
} from '../options.ts';
import { resourceProtected } from '../protection.ts';
import {
  hasReplacementFailed,
  isCreateUnfinished,
  replacementsAsked,
  resourceRecord,
  resourceState,
} from '../state.ts';
import { storedTypeVersion } from '../type-version.ts';
import { anotherAdopt, wantedAdopt } from './apply-adopt.ts';

export type ApplyPlan =
  | { readonly do: 'refuse'; readonly error: FairleadError }
  | { readonly do: 'leave'; readonly existing: Resource; readonly spec: ResourceSpec }
  /** `commits`: new content for a provider, so type and schema must admit it first. */
  | {
      readonly do: 'write';
      readonly change: Exclude<ApplyChange, 'none'>;
      readonly spec: ResourceSpec;
      readonly commits: boolean;
      readonly version: WantedVersion;
    };

export type WritePlan = Extract<ApplyPlan, { do: 'write' }>;

interface ApplySituation {
  readonly existing: Resource;
  readonly state: StoredState;
  readonly wanted: WantedResource;
  readonly spec: ResourceSpec;
  /** True when the options equal the stored ones. */
  readonly sameOptions: boolean;
  /** True when config, dependencies and lifecycle equal the stored ones, and no other version of the type is wanted. */
  readonly same: boolean;
}

type ApplyRule = (situation: ApplySituation) => ApplyPlan | undefined;

const rules: readonly ApplyRule[] = [
  refuseAnotherTuple,
  // Before whatever says more of the resource: it may be that of another project.
  refuseAnotherProject,
  liftWhileDeleting,
  refuseUncommitting,
  refuseAnotherAdopt,
  refuseChangesInFlight,
  replaceWhatExists,
  changeOptions,
  retryWhatFailed,
  leaveWhatIsTheSame,
  writeTheRest,
];

/** @param defaultProject the project of a new resource whose apply names none */
export function planApply(
  existing: Resource | undefined,
  wanted: WantedResource,
  defaultProject: string,
): ApplyPlan {
  const selfDependency = refuseSelfDependency(wanted);
  if (selfDependency !== undefined) return selfDependency;
  const config = wanted.config ?? (existing?.spec.config as JsonObject | undefined);
  if (config === undefined) {
    return refusePlan('resource_not_found', `Resource not found: ${slashed(wanted.tuple)}`);
  }
  const spec = wantedSpec(existing, { ...wanted, config }, defaultProject);
  if (existing === undefined) {
    const commits = spec.lifecycle === Lifecycle.Committed;
    const version = { given: wanted.typeVersion };
    return {
      do: 'write',
      change: 'create',
      spec: withTypeVersion(spec, version.given),
      commits,
      version,
    };
  }
  const state = resourceState(existing);
  // The version of the spec is the stored one here.
  const sameContent = declaredHashOf(existing.spec) === declaredHashOf(spec);
  const given = wanted.typeVersion;
  const same = sameContent && (given === undefined || given === storedTypeVersion(existing));
  const sameOptions = hasSameOptions(existing.spec, spec);
  const plan = firstMatch(rules, { existing, state, wanted, spec, sameOptions, same });
  return plan ?? { do: 'leave', existing, spec };
}

function refusePlan(code: ErrorCode, message: string): ApplyPlan {
  return { do: 'refuse', error: new FairleadError(code, message) };
}

function refuseSelfDependency({ tuple, dependencies }: WantedResource): ApplyPlan | undefined {
  const index = (dependencies ?? []).findIndex((each) => slashed(each) === slashed(tuple));
  if (index < 0) return undefined;
  const violation = {
    loc: ['body', 'dependencies', index],
    msg: 'A resource cannot depend on itself',
    type: 'value_error',
    input: dependencies?.[index],
  };
  return { do: 'refuse', error: new InvalidRequest([violation]) };
}

function refuseAnotherTuple({ existing, wanted }: ApplySituation): ApplyPlan | undefined {
  if (slashed(existing.spec) === slashed(wanted.tuple)) return undefined;
  // A caller of another project must not learn which project holds it.
  const elsewhere = wanted.projectId !== undefined && wanted.projectId !== projectIdOf(existing);
  const holder = elsewhere ? 'a resource of another project' : slashed(existing.spec);
  return refusePlan(
    'identity_taken',
    `The identifier of ${slashed(wanted.tuple)} is already used by ${holder}`,
  );
}

/** A wait of its deletion can be lifted, since an expiry may have requested it; nothing else changes any more. */
function liftWhileDeleting({ state, ...situation }: ApplySituation): ApplyPlan | undefined {
  const { existing, wanted, spec, same } = situation;
  if (state !== 'deleting') return undefined;
  const lifted = same && sameTags(existing.spec, spec) && withoutHolds(existing.spec, spec);
  if (!lifted) {
    return refusePlan('resource_deleting', `Resource ${slashed(wanted.tuple)} is being deleted`);
  }
  const version = { given: undefined, kept: storedTypeVersion(existing) };
  return { do: 'write', change: 'options', spec: lifted, commits: false, version };
}

function refuseAnotherProject({ existing, wanted, spec }: ApplySituation): ApplyPlan | undefined {
  if (spec.project === existing.spec.project) return undefined;
  return refusePlan(
    'project_immutable',
    `Resource ${slashed(wanted.tuple)} belongs to another project, and a resource cannot change its project`,
  );
}

function refuseUncommitting({ state, wanted }: ApplySituation): ApplyPlan | undefined {
  if (wanted.lifecycle !== 'draft' || (state !== 'ready' && state !== 'failed')) return undefined;
  return refusePlan(
    'resource_committed',
    `Resource ${slashed(wanted.tuple)} is ${state} and cannot become a draft: what its provider created would be orphaned`,
  );
}

function refuseAnotherAdopt({ existing, wanted }: ApplySituation): ApplyPlan | undefined {
  const error = anotherAdopt(existing, wanted);
  return error && { do: 'refuse', error };
}

function refuseChangesInFlight({
  existing,
  state,
  same,
  wanted,
}: ApplySituation): ApplyPlan | undefined {
  const isUnchanged = same && wanted.isUserOfReplaced !== true;
  if (isUnchanged || !isInFlight(existing, state)) return undefined;
  const { attempt, nextAttemptAt } = resourceRecord(existing);
  const resource = slashed(wanted.tuple);
  const message = `Resource ${resource} is being processed and cannot be modified until it is ready or failed${attemptText({ attempt, nextAttemptAt })}; it can be deleted`;
  const context = { resource, lifecycle_state: state, attempt, next_attempt_at: nextAttemptAt };
  return { do: 'refuse', error: new FairleadError('resource_busy', message, { context }) };
}

/** A resource that is only observed is pending without an event to come: its config is how the provider finds it. */
function isInFlight({ status }: Resource, state: StoredState): boolean {
  const isUnderWay = state === 'processing' || status?.state === 'processing';
  return isUnderWay || (state === 'pending' && status?.management !== 'Observed');
}

function attemptText({
  attempt,
  nextAttemptAt,
}: Pick<ResourceRecord, 'attempt' | 'nextAttemptAt'>): string {
  if (attempt === null) return '';
  const when = nextAttemptAt === null ? 'under way' : `due at ${nextAttemptAt}`;
  return ` (attempt ${attempt} is ${when})`;
}

/** Also of a resource that is in flight or has failed: no event follows, but from another management. */
function changeOptions({
  existing,
  same,
  sameOptions,
  spec,
  wanted,
}: ApplySituation): ApplyPlan | undefined {
  if (!same || sameOptions) return undefined;
  // An event follows for the provider, which then manages the object; or only reads it, if it can.
  const commits =
    spec.management !== existing.spec.management && spec.lifecycle === Lifecycle.Committed;
  const version = commits
    ? { given: undefined, kept: storedTypeVersion(existing) }
    : { given: wanted.typeVersion };
  return { do: 'write', change: 'options', spec, commits, version };
}

/** A repeated request finds the same content, and replaces nothing again. Changed options are written with it. */
function replaceWhatExists({
  existing,
  state,
  wanted,
  spec,
  same,
}: ApplySituation): ApplyPlan | undefined {
  if (wanted.replace !== true || existing.status?.appliedConfig === undefined) return undefined;
  const isAsked = state === 'failed' && !hasReplacementFailed(existing);
  if (same && !isAsked && wanted.isUserOfReplaced !== true) return undefined;
  if (isProtected(existing.spec) || isProtected(spec)) {
    return { do: 'refuse', error: resourceProtected(wanted.tuple, 'replaced') };
  }
  // A replacement deletes, and its request would outlive the time in which the object is only read.
  if (isReadOnly(spec)) return refuseReplacingObserved(wanted);
  const given = wanted.typeVersion;
  const version = same ? { given: undefined, kept: storedTypeVersion(existing) } : { given };
  const content = same ? spec : withTypeVersion(spec, given);
  const next = { ...content, replace: (replacementsAsked(existing) ?? 0) + 1 };
  return { do: 'write', change: 'replace', spec: next, commits: true, version };
}

function refuseReplacingObserved({ tuple }: WantedResource): ApplyPlan {
  return refusePlan(
    'conflict',
    `Resource ${slashed(tuple)} is only observed, so it cannot be replaced; apply it without replace, or with management: managed`,
  );
}

/** Applying the same content again requests a retry: a raised counter makes a new generation, so a new event. */
function retryWhatFailed({
  existing,
  state,
  spec,
  same,
  wanted,
}: ApplySituation): ApplyPlan | undefined {
  if (state !== 'failed' || !same || wanted.lifecycle === undefined) return undefined;
  const raised = { ...spec, retry: raisedRetry(existing.spec) };
  const version = { given: undefined, kept: storedTypeVersion(existing) };
  return { do: 'write', change: 'retry', spec: raised, commits: true, version };
}

function leaveWhatIsTheSame({ existing, same, spec }: ApplySituation): ApplyPlan | undefined {
  if (!same || !sameTags(existing.spec, spec)) return undefined;
  return { do: 'leave', existing, spec };
}

function writeTheRest({ spec, same, wanted }: ApplySituation): ApplyPlan {
  const version = { given: wanted.typeVersion };
  if (same) return { do: 'write', change: 'tags', spec, commits: false, version };
  const commits = spec.lifecycle === Lifecycle.Committed;
  const next = withTypeVersion(spec, version.given);
  return { do: 'write', change: 'update', spec: next, commits, version };
}

/** @returns the spec with a version of its type; without one that it had, when undefined */
function withTypeVersion(
  { typeVersion: _before, ...spec }: ResourceSpec,
  typeVersion: number | undefined,
): ResourceSpec {
  return typeVersion === undefined ? spec : { ...spec, typeVersion };
}

function raisedRetry({ retry = 0 }: ResourceSpec): number {
  return retry + 1;
}

/**
 * @param accepted the version that the config was validated by
 * @returns the plan with it in its spec
 */
export function withVersion(
  plan: WritePlan,
  existing: Resource | undefined,
  accepted: number | undefined,
): WritePlan {
  // Options are no content, which nothing may change in flight. Without a version, the claim decides about it.
  const isKept =
    plan.change === 'options' && existing && isInFlight(existing, resourceState(existing));
  if (isKept || accepted === plan.version.kept) return plan;
  const spec = withTypeVersion(plan.spec, accepted);
  // No event follows from an equal hash, and version 1 has that of a content without a version.
  const isEqual = existing !== undefined && declaredHashOf(existing.spec) === declaredHashOf(spec);
  // A raised counter, of retries or replacements, is noticed anyway.
  const isNoticed = !isEqual || plan.change !== 'update';
  return { ...plan, spec: isNoticed ? spec : { ...spec, retry: raisedRetry(spec) } };
}

function sameTags(left: ResourceSpec, right: ResourceSpec): boolean {
  const text = (spec: ResourceSpec) => canonicalJson({ tags: spec.tags ?? [] } as JsonObject);
  return text(left) === text(right);
}

/** @returns the spec that an apply asks for, permitted or not */
export function wantedSpecOf(
  existing: Resource,
  wanted: WantedResource,
  defaultProject: string,
): ResourceSpec {
  const config = wanted.config ?? (existing.spec.config as JsonObject);
  return wantedSpec(existing, { ...wanted, config }, defaultProject);
}

// Merges an apply into the stored spec: members that it leaves out stay as they are.

function wantedSpec(
  stored: Resource | undefined,
  wanted: WantedResource & { readonly config: JsonObject },
  defaultProject: string,
): ResourceSpec {
  const { provider, resource, name } = wanted.tuple;
  const existing = stored?.spec;
  const tags = wanted.tags === undefined ? existing?.tags : (wanted.tags ?? []);
  const dependencies = wanted.dependencies ?? existing?.dependencies ?? [];
  const storedProject = stored && projectIdOf(stored);
  const project = wanted.projectId ?? storedProject ?? defaultProject;
  const next = {
    ...existing,
    provider,
    resource,
    name,
    // One that is left out stays so.
    ...(project === storedProject ? {} : { project }),
    lifecycle: lifecycleOf(existing, wanted),
    config: wanted.config as ResourceSpec['config'],
    ...optionalList('tags', tags),
    ...optionalList('dependencies', dependencies),
  };
  // First: the default of an option depends on it.
  const adopting = withAdopt(next, wantedAdopt(stored, wanted));
  return withOptions(adopting, wanted.options ?? {}, isCreateUnfinished(stored?.status ?? {}));
}

function lifecycleOf(
  existing: ResourceSpec | undefined,
  { lifecycle }: Pick<WantedResource, 'lifecycle'>,
): ResourceSpec['lifecycle'] {
  const unchanged = existing?.lifecycle ?? Lifecycle.Committed;
  if (lifecycle === undefined) return unchanged;
  return lifecycle === 'draft' ? Lifecycle.Draft : Lifecycle.Committed;
}

function optionalList<K extends 'tags' | 'dependencies', T>(
  key: K,
  list: readonly T[] | undefined,
) {
  return (
    list === undefined || list.length === 0 ? { [key]: undefined } : { [key]: [...list] }
  ) as {
    [P in K]?: T[];
  };
}
