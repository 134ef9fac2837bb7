// Implements /sets: resources of a project that are planned, applied and pruned together.
import type { z } from 'zod';
import type { SetRecord as SetBody, SetPlan as SetPlanBody } from '../../api/schemas/sets.ts';
import { shownName } from '../../domain/actor.ts';
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import { defaultProjectId, idOf, parseResourceAddress, slashed } from '../../domain/identity.ts';
import type { LifecycleState } from '../../domain/lifecycle.ts';
import type { PrunePolicy } from '../../domain/sets/prune.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { CommittedSet } from '../../store/sets/commit.ts';
import type { SetPlan, SetRequest } from '../../store/sets/plan.ts';
import type { ListedSet, SetStore } from '../../store/sets/store.ts';
import { actorOf, type Caller } from '../auth/claims.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { projectIdIn } from '../request/project.ts';
import { eventStreamType } from '../response/event-stream.ts';
import { presentPlan } from '../response/plan.ts';
import { json, jsonList, longJson, type RouteAnswer, type WholeAnswer } from '../response/send.ts';
import { answerOfWork, type OnMember, reportingText } from '../response/work-events.ts';
import { applyErrors, type WriteRequest } from './apply.ts';
import {
  approvedDigest,
  askingAuthorsOf,
  type CheckedMember,
  chargeFor,
  checkedMembers,
  type PlanningDeps,
  reportFailures,
  requireComplete,
  requireNoPlanNeeded,
  requireUnblocked,
  warningsOfMembers,
} from './planning.ts';

interface SetRoutesDeps extends PlanningDeps {
  readonly sets: SetStore;
}

const tag = 'Sets';

const applyingText = [
  'A set is a name in a project, and its members are resources that have it as `set`. The resources of the request join it; a member of another set moves when `take` names it.',
  'All is checked before anything is written, as for `POST /resources/batch`; then each resource that changes is one write. Members that the request does not name are listed as `unlisted`, or fare as `prune` says, once everything else was accepted.',
  'With `dry_run=true`, answers with the plan and writes nothing. Its digest, sent as `plan`, carries out exactly that plan, or is refused with `plan_stale`. A request that would remove all members, or more than half of at least ten, or that names no resource, needs it.',
  'There is no transaction: `set_incomplete` has the outcome of each resource, and the same request again finishes. Counts as one request for ten resources.',
  reportingText,
].join(' ');

export function setRoutes(deps: SetRoutesDeps): readonly Endpoint[] {
  return [listSets(deps), getSet(deps), applySet(deps), deleteSet(deps)];
}

function listSets(deps: SetRoutesDeps): Endpoint {
  return endpoint('listSets', {
    documentation: {
      tag,
      summary: 'List sets',
      description:
        'Of all projects, or of one. Sets into which only kubectl has put resources, too.',
      answer: { status: 200, description: 'The sets, by project and name.' },
    },
    handle: async ({ caller, query: { project_id: text } }) => {
      const asked = text === undefined ? undefined : await projectOf(deps, caller, text, 'query');
      const project = asked ?? caller.project;
      if (caller.project !== undefined && project !== caller.project) return json([]);
      const sets = await deps.sets.list(caller.organization, project);
      return await jsonList(sets.map((each) => presentSet(deps, caller, each)));
    },
  });
}

function getSet(deps: SetRoutesDeps): Endpoint {
  return endpoint('getSet', {
    documentation: {
      tag,
      summary: 'Get a set',
      description: 'With its members, as the API server has them.',
      answer: { status: 200, description: 'The set and its members.' },
      errors: ['set_not_found'],
    },
    handle: async ({ caller, path: { set: name }, query: { project_id: text } }) => {
      const projectId = await ownProject(deps, caller, text);
      const isElsewhere = caller.project !== undefined && caller.project !== projectId;
      if (isElsewhere) throw new FairleadError('set_not_found', `Set not found: ${name}`);
      const set = await deps.sets.get(caller.organization, { projectId, name });
      return await longJson({
        ...presentSet(deps, caller, set),
        members: set.members.map((each) => ({
          resource: slashed(each),
          id: idOf(each),
          lifecycle_state: each.state,
          reason: each.reason,
          error: each.error,
        })),
        unlisted: [...set.unlisted],
      });
    },
  });
}

function applySet(deps: SetRoutesDeps): Endpoint {
  return endpoint('applySet', {
    documentation: {
      tag,
      summary: 'Apply a set',
      description: applyingText,
      answer: {
        status: 200,
        description: 'The plan, and what became of each resource.',
        type: eventStreamType,
      },
      errors: [...applyErrors, ...setErrors, 'owned_by_set'],
    },
    handle: async ({ path: { set: name }, body, query, ...request }) => {
      const { caller } = request;
      const { resources, plan: approved, replace, prune, take } = body;
      chargeFor(deps, caller, resources);
      const projectId = await ownProject(deps, caller, body.project_id ?? undefined, 'body');
      requireInside(caller, projectId);
      const checked = await checkedMembers(deps, caller, { resources, projectId });
      const members = checked.map((each) => inProject(each, projectId));
      return await carryOutSet(deps, request, {
        ...{ id: { projectId, name }, members, resources, approved, replaces: replace, prune },
        takes: takenNames(take),
        isDeletion: false,
        isDryRun: query.dry_run,
        showsSecrets: query.secrets === 'show',
      });
    },
  });
}

function deleteSet(deps: SetRoutesDeps): Endpoint {
  return endpoint('deleteSet', {
    documentation: {
      tag,
      summary: 'Delete a set',
      description: `Its members are deleted, orphaned, or go on without a set; users are deleted before what they use. Nothing happens when there is no such set. With \`dry_run=true\`, answers with the plan. ${reportingText}`,
      answer: {
        status: 200,
        description: 'The plan, and what became of each member.',
        type: eventStreamType,
      },
      errors: [
        ...setErrors,
        'plan_required',
        'resource_in_use',
        'resource_protected',
        'outside_project',
      ],
    },
    handle: async ({ path: { set: name }, query, ...request }) => {
      const { caller } = request;
      const projectId = await ownProject(deps, caller, query.project_id);
      requireInside(caller, projectId);
      return await carryOutSet(deps, request, {
        ...{ id: { projectId, name }, members: [], resources: [], takes: new Set() },
        ...{ approved: query.plan, prune: query.resources, replaces: false },
        isDeletion: true,
        isDryRun: query.dry_run,
        showsSecrets: false,
      });
    },
  });
}

const setErrors = ['set_busy', 'set_incomplete', 'plan_stale'] as const;

async function projectOf(
  { projectNames }: Pick<SetRoutesDeps, 'projectNames'>,
  caller: Caller,
  text: string,
  part: 'query' | 'body',
): Promise<string> {
  return await projectIdIn(projectNames, { caller, text, loc: [part, 'project_id'] });
}

async function ownProject(
  deps: Pick<SetRoutesDeps, 'projectNames'>,
  caller: Caller,
  text: string | undefined,
  part: 'query' | 'body' = 'query',
): Promise<string> {
  if (text !== undefined) return await projectOf(deps, caller, text, part);
  return caller.project ?? defaultProjectId(caller.organization);
}

/** @throws FairleadError `outside_project` */
function requireInside({ project }: Caller, projectId: string): void {
  if (project === undefined || project === projectId) return;
  throw new FairleadError('outside_project', 'The token is confined to another project');
}

/** @returns the member; refused, if it names another project than its set */
function inProject(member: CheckedMember, projectId: string): CheckedMember {
  const { wanted, refusedBy } = member;
  if (wanted.projectId === projectId || refusedBy !== undefined) return member;
  const msg = 'A set is in one project: omit project_id, or send the resource with another set';
  const violation = { loc: ['body', 'project_id'], msg, type: 'value_error' };
  return { ...member, refusedBy: new InvalidRequest([violation]) };
}

/** @throws InvalidRequest for a text that names no resource */
function takenNames(texts: readonly string[]): ReadonlySet<string> {
  const names = texts.map((text) => parseResourceAddress(text)?.tuple);
  const unknown = texts.flatMap((input, index) => {
    const msg = 'Input should be {provider}/{resource}/{name}';
    const loc = ['body', 'take', index];
    return names[index] === undefined ? [{ loc, msg, type: 'value_error', input }] : [];
  });
  if (unknown.length > 0) throw new InvalidRequest(unknown);
  return new Set(names.flatMap((tuple) => (tuple === undefined ? [] : [slashed(tuple)])));
}

type AskedSet = Pick<SetRequest, 'id' | 'takes' | 'prune' | 'isDeletion' | 'replaces'> & {
  readonly members: readonly CheckedMember[];
  /** The bodies of the members, for the digest. */
  readonly resources: Parameters<typeof approvedDigest>[1]['resources'];
  readonly approved: string | undefined;
  readonly isDryRun: boolean;
  readonly showsSecrets: boolean;
};

async function carryOutSet(
  deps: SetRoutesDeps,
  request: Pick<
    WriteRequest,
    'accept' | 'caller' | 'closed' | 'traceparent' | 'onSecrets' | 'onUnexpected'
  >,
  { resources, approved, isDryRun, showsSecrets, ...asked }: AskedSet,
): Promise<RouteAnswer> {
  const { accept, caller, traceparent } = request;
  const { organization } = caller;
  const hasPlan = approved !== undefined;
  const plan = await deps.sets.plan(organization, {
    ...asked,
    ...{ by: actorOf(caller), traceparent, hasPlan },
    askAuthors: askingAuthorsOf(deps, request, asked.members),
    isPreview: isDryRun || hasPlan,
  });
  const { members: planned } = plan.batch;
  chargeFor(deps, caller, planned.slice(plan.listed));
  const digested = { caller, request: digestedRequest(plan, asked), resources, approved };
  const digest = await approvedDigest(deps, { ...digested, plan: plan.batch });
  if (!isDryRun) {
    requireUnblocked(planned);
    requireNoPlanNeeded(plan, approved);
  }
  const carryOut = async (onMember: OnMember): Promise<WholeAnswer> => {
    const options = { digest, isApproved: hasPlan, onMember };
    const committed = isDryRun ? undefined : await deps.sets.commit(organization, plan, options);
    if (committed !== undefined) {
      reportFailures(request, committed.members);
      requireComplete(committed.members, committed.isRecorded);
    }
    return await presentSetPlan(deps, request, { ...asked, showsSecrets, plan, digest, committed });
  };
  return await answerOfWork({ accept, total: planned.length, carryOut });
}

interface CarriedOut extends Pick<AskedSet, 'id' | 'members' | 'showsSecrets'> {
  readonly plan: SetPlan;
  readonly digest: string;
  /** Undefined in a preview. */
  readonly committed: CommittedSet | undefined;
}

async function presentSetPlan(
  deps: SetRoutesDeps,
  request: Pick<WriteRequest, 'caller' | 'onSecrets'>,
  { id, members, showsSecrets, plan, digest, committed }: CarriedOut,
): Promise<WholeAnswer> {
  const { members: planned } = plan.batch;
  const shown = await presentPlan(deps, {
    ...{ ...request, showsSecrets, planned, committed: committed?.members },
    warnings: await warningsOfMembers(deps, request.caller, { members, planned }),
  });
  const unlisted = planned.flatMap(({ change, member }) =>
    change === 'unlisted' ? [slashed(member.wanted.tuple)] : [],
  );
  const answer: z.input<typeof SetPlanBody> = {
    ...naming(deps, request.caller, id),
    prune: plan.prune.policy,
    stored_prune: plan.prune.stores,
    plan: digest,
    plan_required: plan.whyApproved ?? null,
    resources: [...shown],
    unlisted: [...(committed?.unlisted ?? unlisted)],
    touches: [...plan.batch.touches],
  };
  return await longJson(answer);
}

/** The stored policy is a part of it: a plan that was made while members are kept must not be carried out as one that deletes them. */
function digestedRequest(
  { id, prune, found }: SetPlan,
  { takes, replaces, isDeletion }: Pick<AskedSet, 'takes' | 'replaces' | 'isDeletion'>,
): JsonObject {
  const before: PrunePolicy | null = found?.summary?.prune ?? null;
  const of = { project: id.projectId, set: id.name, isDeletion, replaces };
  return { ...of, takes: [...takes].sort(), prune: prune.policy, before };
}

function naming(
  { projectNames }: Pick<SetRoutesDeps, 'projectNames'>,
  { organization }: Caller,
  { projectId, name }: SetRequest['id'],
) {
  return {
    set: name,
    project_id: projectId,
    project: projectNames.nameOf(organization, projectId),
  };
}

function presentSet(
  deps: Pick<SetRoutesDeps, 'projectNames'>,
  caller: Caller,
  { summary, prune, states: all, unlisted, ...id }: ListedSet,
): z.input<typeof SetBody> {
  const states: Partial<Record<LifecycleState, number>> = {};
  for (const state of all) states[state] = (states[state] ?? 0) + 1;
  const byName = shownName(summary?.by, summary?.byName);
  return {
    ...naming(deps, caller, id),
    prune,
    complete: summary?.isComplete ?? null,
    applied_at: summary?.at ?? null,
    applied_by: summary?.by ?? null,
    ...(byName === undefined ? {} : { applied_by_name: byName }),
    plan: summary?.digest ?? null,
    resources: all.length,
    states,
    unlisted_count: unlisted.length,
  };
}
