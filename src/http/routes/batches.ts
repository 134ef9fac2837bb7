// Implements POST /resources/batch: many resources are checked together, and written only when all of them are accepted.
import type { JsonObject } from '../../lib/json.ts';
import type { BatchStore } from '../../store/resources/batch/store.ts';
import { actorOf } from '../auth/claims.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { eventStreamType } from '../response/event-stream.ts';
import { presentPlan } from '../response/plan.ts';
import { longJson, type WholeAnswer } from '../response/send.ts';
import { answerOfWork, type OnMember, reportingText } from '../response/work-events.ts';
import { applyErrors, wantedProject } from './apply.ts';
import {
  approvedDigest,
  askingAuthorsOf,
  chargeFor,
  checkedMembers,
  type PlanningDeps,
  preconditionOfOne,
  reportFailures,
  requireComplete,
  requireNoPlanNeeded,
  requireUnblocked,
  warningsOfMembers,
} from './planning.ts';

export interface BatchRoutesDeps extends PlanningDeps {
  readonly batches: BatchStore;
}

const description = [
  'All resources are checked before one is written: schemas, rules of providers, types, rights, ownership, quotas of all together, protection, immutable fields, and cycles over them and what exists. One answer lists everything that is wrong, with places such as `["body", "resources", 3, "config", "size"]`; then nothing was written.',
  'Kubernetes has no transaction over objects: each resource that changes is one write, and one that does not is none. A write that loses a race stops no other; `set_incomplete` has the outcome of each, and the same request again finishes.',
  'With `dry_run=true`, answers with the plan and writes nothing. Its digest, sent as `plan`, carries out exactly that plan, or is refused with `plan_stale`.',
  reportingText,
  'Counts as one request for ten resources.',
].join(' ');

export function applyResources(deps: BatchRoutesDeps): Endpoint {
  return endpoint('applyResources', {
    documentation: {
      tag: 'Resources',
      summary: 'Create or update many resources',
      description,
      answer: {
        status: 200,
        description: 'The plan, and what became of each resource.',
        type: eventStreamType,
      },
      errors: [...applyErrors, 'plan_stale', 'set_incomplete'],
    },
    handle: async ({ body, query: { dry_run: isDryRun, secrets }, ...request }) => {
      const { caller, traceparent } = request;
      const { resources, plan: approved, replace, project_id: text } = body;
      chargeFor(deps, caller, resources);
      const projectId = await wantedProject(body, caller, deps);
      const precondition = preconditionOfOne(request, resources);
      const members = await checkedMembers(deps, caller, { resources, projectId, precondition });
      const plan = await deps.batches.plan(caller.organization, members, {
        by: actorOf(caller),
        traceparent,
        replaces: replace,
        askAuthors: askingAuthorsOf(deps, request, members),
        // A plan that is stale is told so, also when something has begun to block it.
        isPreview: isDryRun || approved !== undefined,
      });
      const asked: JsonObject = { project_id: text ?? null, replace };
      const about = { caller, request: asked, resources, plan, approved };
      const digest = await approvedDigest(deps, about);
      if (!isDryRun) {
        requireUnblocked(plan.members);
        requireNoPlanNeeded(plan, approved);
      }
      const carryOut = async (onMember: OnMember): Promise<WholeAnswer> => {
        const options = { isApproved: approved !== undefined, onMember };
        const committed = isDryRun
          ? undefined
          : await deps.batches.commit(caller.organization, plan, options);
        if (committed !== undefined) {
          reportFailures(request, committed);
          requireComplete(committed);
        }
        const shown = await presentPlan(deps, {
          ...request,
          showsSecrets: secrets === 'show',
          planned: plan.members,
          warnings: await warningsOfMembers(deps, caller, { members, planned: plan.members }),
          committed,
        });
        return await longJson({ plan: digest, resources: shown, touches: plan.touches });
      };
      return await answerOfWork({ accept: request.accept, total: members.length, carryOut });
    },
  });
}
