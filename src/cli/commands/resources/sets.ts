// `fairlead sets`: the sets of a project; and `fairlead delete --set`, which also says what becomes of the resources of one.
import type { SetAnswer, SetRecord, SetWithMembers } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { WriteProgress } from '../../../domain/apply-plans.ts';
import { type PrunePolicy, prunePolicies } from '../../../domain/sets/prune.ts';
import { deleteQuestion, orphanQuestion } from '../../resources/apply/ask.ts';
import { sameAgain } from '../../resources/apply/batch.ts';
import { blockedIn, refusalsIn } from '../../resources/apply/batch-refusals.ts';
import { finishApply } from '../../resources/apply/outcome.ts';
import { type LinedPlan, planLines } from '../../resources/apply/plan-lines.ts';
import { showPlan } from '../../resources/apply/plan-view.ts';
import { requireAccepted } from '../../resources/apply/refusal.ts';
import { type SettleTarget, seesProgress, waitUntilGone } from '../../resources/watch/settle.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import { callWithProgress } from '../../session/api/work-events.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';

const setView: View<SetRecord> = {
  columns: [
    { title: 'SET', cell: ({ set }) => set },
    { title: 'RESOURCES', cell: ({ resources }) => `${resources}` },
    { title: 'STATES', cell: ({ states }) => statesText(states) },
    {
      title: 'UNLISTED',
      sparse: true,
      cell: ({ unlisted_count: count }) => (count === 0 ? '' : `${count}`),
    },
    { title: 'PRUNE', cell: ({ prune }) => prune },
    timeColumn('APPLIED', ({ applied_at }) => applied_at),
    { title: 'BY', cell: ({ applied_by, applied_by_name }) => applied_by_name ?? applied_by ?? '' },
    {
      title: 'LAST APPLY',
      sparse: true,
      cell: ({ complete }, { style }) =>
        complete === false ? style.paint('yellow', 'incomplete') : '',
    },
    { title: 'PROJECT', wide: true, cell: ({ project, project_id }) => project ?? project_id },
    { title: 'PLAN', wide: true, cell: ({ plan }) => plan ?? '' },
  ],
  nameOf: ({ set }) => set,
};

function statesText(states: SetRecord['states']): string {
  return Object.entries(states)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

export async function listSets({ api, context, output, talk }: Invocation): Promise<void> {
  const { project } = await context();
  const query = project === undefined ? {} : { project_id: project };
  const sets = await (await api()).list('listSets', { query });
  await output.list(sets, setView);
  if (!output.isForPeople) return;
  const next = sets.length === 0 ? '  The first one: fairlead apply -f FOLDER --set NAME' : '';
  talk.note(`${counted(sets.length, 'set')}.${next}`);
}

export async function deleteSet(invocation: Invocation, name: string): Promise<void> {
  const { flags, talk } = invocation;
  const deletion: SetDeletion = { name, resources: requiredRemoval(invocation, name) };
  // The API deletes what does not exist; here it is most likely misspelt.
  const set = flags.on('ignore-not-found') ? undefined : await readSet(invocation, name);
  let [digest, total] = [flags.text('plan'), set?.resources ?? 0];
  if (digest === undefined) {
    const plan = await plannedDeletion(invocation, deletion);
    if (flags.on('dry-run')) return await showPlan(invocation, plan);
    if (!(await mayDeleteSet(invocation, deletion, plan))) {
      talk.note('Nothing was deleted.');
      return;
    }
    total = plan.members.length;
    // A person has seen it: nothing else is done.
    if (invocation.questions.canAsk) digest = plan.answers[0].plan;
  }
  const word = { delete: 'deleted', orphan: 'orphaned', leave: 'left' }[deletion.resources];
  const { resources: members } = await withRequestProgress(
    invocation,
    { word, total },
    (_done, reach) =>
      deleteOrPlan(invocation, {
        ...deletion,
        digest,
        onProgress: (progress) => reach(progress.done, progress.total),
      }),
  );
  await finishApply(invocation, members);
  talk.note(`The set ${name} is deleted.`);
  const gone = members.filter(({ change }) => change === 'delete');
  if (!flags.on('wait') || gone.length === 0) return;
  const error = await waitUntilGone(invocation, gone.map(goneTarget));
  if (error !== undefined) throw error;
}

/** @throws ApiError `set_not_found` */
export async function readSet({ api, context }: Invocation, name: string): Promise<SetWithMembers> {
  const { project } = await context();
  const query = project === undefined ? {} : { project_id: project };
  return await (await api()).call('getSet', { path: { set: name }, query });
}

interface SetDeletion {
  readonly name: string;
  readonly resources: Exclude<PrunePolicy, 'keep'>;
  readonly digest?: string | undefined;
  readonly isDryRun?: boolean;
  readonly onProgress?: (progress: WriteProgress) => void;
}

/** Nobody deletes thirty databases by a short command. */
function requiredRemoval({ args, flags }: Invocation, name: string): SetDeletion['resources'] {
  const others = [...args, ...flags.texts('file'), ...flags.texts('tag')];
  if (others.length > 0 || flags.on('force') || flags.on('orphan')) {
    throw usageError('--set deletes a set alone: it takes no resources, --force or --orphan.');
  }
  const removal = prunePolicies.find((each) => each === flags.text('resources'));
  if (removal !== undefined && removal !== 'keep') return removal;
  throw usageError(
    `Pass what becomes of the resources of ${name}: --resources delete, orphan or leave.`,
    shell`What it would change: fairlead delete --set ${name} --resources delete --dry-run`,
  );
}

async function plannedDeletion(invocation: Invocation, deletion: SetDeletion) {
  const answer = await deleteOrPlan(invocation, { ...deletion, isDryRun: true });
  const { resources: members, touches } = answer;
  const api = await invocation.api();
  const nothing = 'Nothing was deleted.';
  await requireAccepted(blockedIn(members, []), { api, total: members.length, nothing });
  return { members, touches, unlisted: [], answers: [answer] as const };
}

async function mayDeleteSet(
  { output, questions, talk }: Invocation,
  { resources }: SetDeletion,
  plan: LinedPlan,
): Promise<boolean> {
  const { length } = plan.members;
  const question = { delete: deleteQuestion, orphan: orphanQuestion, leave: () => '' }[resources];
  if (question(length) === '') return true;
  if (output.isForPeople) talk.lines(planLines(plan, talk.style));
  return await questions.confirm(question(length));
}

async function deleteOrPlan(
  invocation: Invocation,
  { name, resources, digest, isDryRun = false, onProgress }: SetDeletion,
): Promise<SetAnswer> {
  const { project } = await invocation.context();
  const query = {
    resources,
    ...(project === undefined ? {} : { project_id: project }),
    ...(isDryRun ? { dry_run: true } : {}),
    ...(digest === undefined ? {} : { plan: digest }),
  };
  try {
    const api = await invocation.api();
    return await callWithProgress(api, 'deleteSet', {
      // A second time deletes nothing more, but with a plan: what it would change is done.
      input: {
        path: { set: name },
        query,
        answerTimeoutMs,
        isRepeatable: digest === undefined,
      },
      signal: invocation.signal,
      onProgress: seesProgress(invocation) ? onProgress : undefined,
    });
  } catch (thrown) {
    if (thrown instanceof ApiError) refusalsIn(thrown, [], { applied: 0, again: sameAgain });
    throw thrown;
  }
}

const answerTimeoutMs = 180_000;

function goneTarget({ resource: ref, id }: SetAnswer['resources'][number]): SettleTarget {
  return { ref, id, provider: ref.split('/', 1)[0] ?? '' };
}
