// `fairlead project …`: the projects of the organization.
import type { Project } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';

const view: View<Project> = {
  columns: [
    { title: 'PROJECT', cell: ({ name }) => name },
    { title: 'ID', cell: ({ project_id }) => project_id },
    {
      title: 'PLAN',
      sparse: true,
      cell: ({ require_plan }) => (require_plan ? 'required' : ''),
    },
    timeColumn('AGE', ({ created_at }) => created_at),
    { title: 'MANAGED BY', wide: true, cell: ({ managed_by }) => managed_by ?? '' },
  ],
  nameOf: ({ project_id }) => project_id,
};

export async function projectList({ api, output }: Invocation): Promise<void> {
  await output.list(await (await api()).list('listProjects', {}), view);
}

export async function projectCreate(invocation: Invocation): Promise<void> {
  const { api, args, flags, output, talk } = invocation;
  const id = flags.text('id');
  const [name = ''] = args;
  const body = { name, ...(id === undefined ? {} : { project_id: id }) };
  // With an id, the same request twice returns the same project.
  const options = { body, isRepeatable: id !== undefined };
  const project = await (await api()).call('createProject', options);
  if (output.isForPeople) output.line(project.project_id);
  else await output.record(project, view);
  talk.note(
    shell`The project ${project.name} is created. Use it: fairlead apply -p ${project.project_id}`,
  );
}

export async function projectRename({ api, args, output, talk }: Invocation): Promise<void> {
  const [project_id = '', name = ''] = args;
  const input = { path: { project_id }, body: { name }, isRepeatable: true };
  const project = await (await api()).call('updateProject', input);
  if (!output.isForPeople) await output.record(project, view);
  talk.note(`The project ${project_id} is now called ${project.name}.`);
}

export async function projectUpdate(invocation: Invocation): Promise<void> {
  const { api, args, flags, output, talk } = invocation;
  const [project_id = ''] = args;
  const require_plan = flags.choice('require-plan');
  if (require_plan === undefined) {
    throw usageError('Pass --require-plan or --no-require-plan.', 'fairlead project update --help');
  }
  const input = { path: { project_id }, body: { require_plan }, isRepeatable: true };
  const project = await (await api()).call('updateProject', input);
  if (!output.isForPeople) await output.record(project, view);
  const what = require_plan ? 'with an approved plan only' : 'without a plan';
  talk.note(
    `The project ${project.name} takes batches, sets and changes of their members ${what}.`,
  );
}

export async function projectDelete(invocation: Invocation): Promise<void> {
  const { api, args, questions, talk } = invocation;
  const [project_id = ''] = args;
  if (!(await questions.confirm(`Delete the project ${project_id}?`))) {
    talk.note('Nothing was deleted.');
    return;
  }
  await (await api()).request('deleteProject', { path: { project_id } });
  talk.note(`The project ${project_id} is deleted.`);
}
