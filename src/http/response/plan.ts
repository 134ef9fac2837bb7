// A plan as its caller may see it: the change of each member, place by place.
import type { z } from 'zod';
import type { PlannedMember } from '../../api/schemas/batches.ts';
import { defaultProjectId, idOf, slashed } from '../../domain/identity.ts';
import type { TypeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type Budget, createBudget, stepsForMany } from '../../lib/budget.ts';
import { pick } from '../../lib/json.ts';
import { beginSlice, ownTurn } from '../../lib/turns.ts';
import type { DefinitionStore } from '../../store/interfaces.ts';
import type { DefinitionRecord, ResourceRecord } from '../../store/records.ts';
import type { CommittedMember } from '../../store/resources/batch/commit.ts';
import type { PlannedMember as StoredPlan } from '../../store/resources/batch/plan.ts';
import type { Caller } from '../auth/claims.ts';
import { type CallerView, type CallerViewDeps, callerView, type Showing } from './caller-view.ts';
import { plannedDifferences } from './differences.ts';
import { presentResource } from './resource.ts';

interface PlanViewDeps extends CallerViewDeps {
  readonly definitions: Pick<DefinitionStore, 'find' | 'schemasOf'>;
}

export interface ShownPlan extends Pick<Showing, 'onSecrets'> {
  readonly caller: Caller;
  readonly showsSecrets: boolean;
  readonly planned: readonly StoredPlan[];
  /** In the order of the members. */
  readonly warnings: readonly (readonly string[] | undefined)[];
  /** Undefined in a preview. */
  readonly committed: readonly CommittedMember[] | undefined;
}

export type MemberBody = z.input<typeof PlannedMember>;

export async function presentPlan(
  deps: PlanViewDeps,
  { caller, planned, warnings, showsSecrets, committed, onSecrets }: ShownPlan,
): Promise<readonly MemberBody[]> {
  const { organization } = caller;
  // A plan that CI posts shows no secrets that nobody has asked for.
  const hidesSecrets = committed === undefined && !showsSecrets;
  const view = callerView({ caller, onSecrets, hidesSecrets }, deps);
  const isMasked = !showsSecrets || view.masking !== undefined;
  const defaultProject = defaultProjectId(organization);
  const shown = { view, isMasked, defaultProject, budget: createBudget(stepsForMany) };
  const resources: MemberBody[] = [];
  let isOver = beginSlice();
  for (const [index, each] of planned.entries()) {
    if (isOver()) {
      await ownTurn();
      isOver = beginSlice();
    }
    const { provider, resource } = each.member.wanted.tuple;
    const type = await deps.definitions.find(organization, provider, resource);
    const schemas = deps.definitions.schemasOf(organization, { provider, resource });
    const done = committed?.[index];
    const about = { type, schemas, warnings: warnings[index] ?? [], done };
    resources.push(presentMember(each, { ...shown, ...about }));
  }
  return resources;
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
  { member: { wanted }, before, after, ...planned }: StoredPlan,
  { view, isMasked, type, warnings, done, ...masking }: ShownMember,
): MemberBody {
  const { projectName } = view;
  const { knownOutputs } = planned;
  const record = done !== undefined && 'record' in done ? done.record : after;
  const blockedBy = planned.blockedBy && pick(planned.blockedBy, ['code', 'message']);
  return {
    resource: slashed(wanted.tuple),
    id: idOf(wanted.tuple),
    change: planned.change,
    differences: [
      ...plannedDifferences(before, after, { ...masking, type, isMasked, projectName }),
    ],
    forced_by: planned.forcedBy.map((path) => ['config', ...path].join('.')),
    known_outputs: (isMasked ? knownOutputs?.shown : knownOutputs?.all) ?? null,
    waits_for: [...planned.waitsFor],
    known_after: [...planned.knownAfter],
    drift: hasDrifted(after, type),
    warnings: [...warnings],
    blocked_by: blockedBy ?? null,
    outcome: done?.outcome ?? 'planned',
    record: presentResource(record, view),
  };
}

function hasDrifted({ drift }: ResourceRecord, type: DefinitionRecord | undefined): boolean | null {
  if (drift !== null) return true;
  return type?.observe === true ? false : null;
}
