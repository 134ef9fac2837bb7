// Implements POST /resources/batch: many resources are checked together, and written only when all of them are accepted.
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { ApplyResources, PlannedResource } from '../../api/schemas/batches.ts';
import { batchChangeOf } from '../../domain/apply-plans.ts';
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import { defaultProjectId, idOf, slashed } from '../../domain/identity.ts';
import type { TypeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type Budget, createBudget, stepsForMany } from '../../lib/budget.ts';
import { canonicalJson, type JsonObject, type JsonValue, pick } from '../../lib/json.ts';
import { betweenSteps } from '../../lib/turns.ts';
import type { Precondition } from '../../store/interfaces.ts';
import type { DefinitionRecord, ResourceRecord } from '../../store/records.ts';
import type { CommittedMember } from '../../store/resources/batch/commit.ts';
import type { BatchMember } from '../../store/resources/batch/member.ts';
import {
  type BatchPlan,
  memberRefused,
  type PlannedMember,
} from '../../store/resources/batch/plan.ts';
import type { BatchStore } from '../../store/resources/batch/store.ts';
import { scoped } from '../../store/resources/store.ts';
import { actorOf, type Caller } from '../auth/claims.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { changedPlanParts, type PlanFacts, planDigest } from '../request/plan-digest.ts';
import { type CallerView, callerView } from '../response/caller-view.ts';
import { plannedDifferences } from '../response/differences.ts';
import { presentResource } from '../response/resource.ts';
import { json } from '../response/send.ts';
import {
  type ApplyRoutesDeps,
  checksOf,
  requireMayImport,
  requireSmallContent,
  type WriteRequest,
  wantedFrom,
  wantedProject,
} from './apply.ts';
import { earlierVersion } from './type-versions.ts';

export interface BatchRoutesDeps extends Omit<ApplyRoutesDeps, 'resources' | 'waits'> {
  readonly batches: BatchStore;
  /** The key of digests of plans, the same in every replica. */
  readonly planKey: () => Promise<Buffer>;
  /** Charges an organization for requests beside the one that it has sent. */
  readonly charge: (caller: Caller, requests: number) => void;
}

type BatchBody = z.output<typeof ApplyResources>;

const description = [
  'All resources are checked before one is written: schemas, types, rights, ownership, quotas of all together, protection, immutable fields, and cycles over them and what exists. One answer lists everything that is wrong, with places such as `["body", "resources", 3, "config", "size"]`; then nothing was written.',
  'Kubernetes has no transaction over objects: each resource that changes is one write, and one that does not is none. A write that loses a race stops no other; `set_incomplete` has the outcome of each, and the same request again finishes.',
  'With `dry_run=true`, answers with the plan and writes nothing. Its digest, sent as `plan`, carries out exactly that plan, or is refused with `plan_stale`.',
  'Counts as one request for ten resources.',
].join(' ');

export function applyResources(deps: BatchRoutesDeps): Endpoint {
  return endpoint('applyResources', {
    documentation: {
      tag: 'Resources',
      summary: 'Create or update many resources',
      description,
      answer: { status: 200, description: 'The plan, and what became of each resource.' },
      errors: [
        'outside_project',
        'object_not_found',
        'object_taken',
        'resource_busy',
        'resource_committed',
        'resource_deleting',
        'resource_protected',
        'resource_in_use',
        'provider_deleting',
        'type_retired',
        'unknown_type',
        'limit_reached',
        'precondition_failed',
        'plan_stale',
        'set_incomplete',
      ],
    },
    handle: async ({ body, query, ...request }) => {
      const { caller } = request;
      deps.charge(caller, Math.ceil(body.resources.length / requestsPerCharge) - 1);
      const members = await checkedMembers(deps, request, body);
      const { organization } = caller;
      const { replace: replaces, plan: approved } = body;
      const writing = { by: actorOf(caller), traceparent: request.traceparent };
      // A plan that is stale is told so, also when something has begun to block it.
      const isPreview = query.dry_run || approved !== undefined;
      const planning = { ...writing, replaces, isPreview };
      const plan = await deps.batches.plan(organization, members, planning);
      const facts = factsFor(deps, caller, { body, plan });
      const key = await deps.planKey();
      const digest = planDigest(key, facts);
      if (approved !== undefined && approved !== digest) throw planStale(approved, key, facts);
      if (!query.dry_run) requireUnblocked(plan.members);
      const shown = { ...request, showsSecrets: query.secrets === 'show', members };
      const committed = query.dry_run
        ? undefined
        : await deps.batches.commit(organization, members, {
            ...writing,
            plan,
            isApproved: approved !== undefined,
          });
      if (committed !== undefined) requireComplete(committed);
      return json(await presentPlan(deps, shown, { plan, digest, committed }));
    },
  });
}

/** Resources of a batch that count as one request. */
const requestsPerCharge = 10;

interface CheckedMember extends BatchMember {
  /** Texts about what is accepted, and most likely a mistake; known once the member is checked. */
  readonly warnings: string[];
}

type BatchRequest = Pick<WriteRequest, 'caller' | 'precondition'>;

async function checkedMembers(
  deps: BatchRoutesDeps,
  { caller, ...request }: BatchRequest,
  { resources, project_id: text }: BatchBody,
): Promise<readonly CheckedMember[]> {
  const precondition = preconditionOfOne(request.precondition(), resources.length);
  const named = await wantedProject({ project_id: text }, caller, deps);
  const members: CheckedMember[] = [];
  for (const [index, body] of resources.entries()) {
    await betweenSteps();
    const place = { index };
    const projectId = (await inMember(place, () => wantedProject(body, caller, deps))) ?? named;
    const wanted = await inMember(place, async () =>
      scoped(wantedFrom(body, projectId), caller.project),
    );
    await inMember(place, async () => {
      requireSmallContent(wanted, deps);
      await requireMayImport(deps, caller, wanted);
    });
    const warnings: string[] = [];
    const checks = checksOf(deps, caller, { tuple: wanted.tuple, warnings });
    members.push({ wanted, ...checks, precondition, warnings });
  }
  return members;
}

/** @throws InvalidRequest for a condition about several resources */
function preconditionOfOne(
  precondition: Precondition | undefined,
  count: number,
): Precondition | undefined {
  if (precondition === undefined || count === 1) return precondition;
  const msg = 'A request for several resources has no condition; send plan, the digest of its plan';
  throw new InvalidRequest([{ loc: ['header', 'If-Match'], msg, type: 'value_error' }]);
}

/** Adds the place of a member to what refuses it. */
async function inMember<T>({ index }: { index: number }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof FairleadError ? memberRefused([{ index, error: thrown }]) : thrown;
  }
}

/** Beside the request, the digest covers the schemas of the types. */
function factsFor(
  { definitions }: Pick<BatchRoutesDeps, 'definitions'>,
  { organization }: Caller,
  { body, plan }: { readonly body: BatchBody; readonly plan: BatchPlan },
): PlanFacts {
  const { plan: _digest, ...request } = body;
  const resources = plan.members.map(({ wanted, stored }): [string, JsonValue] => {
    const type = schemasHash(definitions.schemasOf(organization, wanted.tuple));
    return [slashed(wanted.tuple), { ...stored, type }];
  });
  return { request: request as JsonObject, resources: new Map(resources) };
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

function planStale(approved: string, key: Buffer, facts: PlanFacts): FairleadError {
  const changed = changedPlanParts(approved, key, facts);
  const named = changed.slice(0, maxNamed).join(', ');
  const what = changed.length === 0 ? 'The request is another one' : `Changed since: ${named}`;
  const context = { changed };
  return new FairleadError('plan_stale', `The plan is not the approved one. ${what}`, { context });
}

const maxNamed = 20;

/** @throws InvalidRequest with the members that are blocked */
function requireUnblocked(members: readonly PlannedMember[]): void {
  const blocked = members.flatMap(({ blockedBy: error }, index) =>
    error ? [{ index, error }] : [],
  );
  if (blocked.length > 0) throw memberRefused(blocked);
}

/** @throws FairleadError `set_incomplete` */
function requireComplete(committed: readonly CommittedMember[]): void {
  const failed = committed.filter(
    ({ outcome }) => outcome !== 'applied' && outcome !== 'unchanged',
  );
  if (failed.length === 0) return;
  const refused = committed.flatMap((each, index) =>
    each.outcome === 'refused' ? [{ index, error: each.error }] : [],
  );
  // Nothing is half done: the refusals say more.
  if (refused.length === committed.length) throw memberRefused(refused);
  const resources = committed.map((each) => ({
    resource: slashed(each.planned.wanted.tuple),
    change: batchChangeOf(each.planned.change),
    outcome: each.outcome,
    error:
      each.outcome === 'refused' ? { code: each.error.code, message: each.error.message } : null,
  }));
  const message = `${failed.length} of ${committed.length} resources were not applied`;
  throw new FairleadError('set_incomplete', message, { context: { resources } });
}

interface ShownPlan {
  readonly plan: BatchPlan;
  readonly digest: string;
  /** Undefined in a preview. */
  readonly committed: readonly CommittedMember[] | undefined;
}

type PlanReader = Pick<WriteRequest, 'caller' | 'onSecrets'> & {
  readonly showsSecrets: boolean;
  readonly members: readonly CheckedMember[];
};

async function presentPlan(
  deps: BatchRoutesDeps,
  { members, showsSecrets, ...request }: PlanReader,
  { plan, digest, committed }: ShownPlan,
) {
  const { organization } = request.caller;
  // A plan that CI posts shows no secrets that nobody has asked for.
  const hidesSecrets = committed === undefined && !showsSecrets;
  const view = callerView({ ...request, hidesSecrets }, deps);
  const isMasked = !showsSecrets || view.masking !== undefined;
  const defaultProject = defaultProjectId(organization);
  const shown = { view, isMasked, defaultProject, budget: createBudget(stepsForMany) };
  const resources: object[] = [];
  for (const [index, planned] of plan.members.entries()) {
    await betweenSteps();
    const { provider, resource } = planned.wanted.tuple;
    const type = await deps.definitions.find(organization, provider, resource);
    const schemas = deps.definitions.schemasOf(organization, { provider, resource });
    const { warnings = [] } = members[index] ?? {};
    const done = committed?.[index];
    resources.push(presentMember(planned, { ...shown, type, schemas, warnings, done }));
  }
  return { plan: digest, resources, touches: plan.touches };
}

interface ShownMember {
  readonly view: CallerView;
  readonly isMasked: boolean;
  readonly defaultProject: string;
  readonly budget: Budget;
  readonly type: DefinitionRecord | undefined;
  readonly schemas: TypeSchemas | undefined;
  readonly warnings: readonly string[];
  /** Undefined in a preview. */
  readonly done: CommittedMember | undefined;
}

function presentMember(
  { wanted, before, after, change, ...planned }: PlannedMember,
  { view, isMasked, type, warnings, done, ...masking }: ShownMember,
): z.input<typeof PlannedResource> {
  const { projectName } = view;
  const record = done !== undefined && 'record' in done ? done.record : after;
  const blockedBy = planned.blockedBy && pick(planned.blockedBy, ['code', 'message']);
  return {
    resource: slashed(wanted.tuple),
    id: idOf(wanted.tuple),
    change: batchChangeOf(change),
    differences: [...plannedDifferences(before, after, { ...masking, isMasked, projectName })],
    forced_by: planned.forcedBy.map((path) => ['config', ...path].join('.')),
    waits_for: [...planned.waitsFor],
    known_after: [...planned.knownAfter],
    drift: hasDrifted(after, type),
    warnings: [earlierVersion(type, wanted.typeVersion) ?? [], warnings].flat(),
    blocked_by: blockedBy ?? null,
    outcome: done?.outcome ?? 'planned',
    record: presentResource(record, view),
  };
}

function hasDrifted({ drift }: ResourceRecord, type: DefinitionRecord | undefined): boolean | null {
  if (drift !== null) return true;
  return type?.observe === true ? false : null;
}
