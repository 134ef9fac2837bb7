// Implements /projects: groups of resources inside an organization.
import { FairleadError } from '../../domain/errors.ts';
import type { ProjectStore } from '../../store/interfaces.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import type { Caller } from '../auth/authenticate.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { projectIdIn } from '../request/project.ts';
import { presentProject } from '../response/resource.ts';
import { json, noContent } from '../response/send.ts';

const tag = 'Projects';

interface ProjectRoutesDeps {
  readonly projects: ProjectStore;
  readonly projectNames: ProjectNames;
}

export function projectRoutes({ projects, projectNames }: ProjectRoutesDeps): readonly Endpoint[] {
  const idIn = (caller: Caller, { project_id }: { readonly project_id: string }) =>
    projectIdIn(projectNames, { caller, text: project_id, loc: ['path', 'project_id'] });
  return [
    endpoint('listProjects', {
      documentation: {
        tag,
        summary: 'List projects',
        answer: { status: 200, description: 'The projects.' },
      },
      handle: async ({ caller }) => {
        const records = await projects.list(caller.organization);
        return json(records.map(presentProject));
      },
    }),
    endpoint('getProject', {
      documentation: {
        tag,
        summary: 'Get a project',
        description: 'A platform token permits only the project to which it is confined.',
        answer: { status: 200, description: 'The project.' },
        errors: ['project_not_found'],
      },
      handle: async ({ caller, path }) => {
        const project_id = await idIn(caller, path);
        // Before the lookup: the caller must not learn whether another project exists.
        if (caller.project !== undefined && caller.project !== project_id) {
          const message = 'The token is confined to another project';
          throw new FairleadError('outside_project', message);
        }
        return json(presentProject(await projects.get(caller.organization, project_id)));
      },
    }),
    endpoint('createProject', {
      documentation: {
        tag,
        summary: 'Create a project',
        description: 'A repeated request with the same id and name returns the existing project.',
        answer: { status: 200, description: 'The project.' },
        errors: ['project_exists'],
      },
      handle: async ({ caller, body: { name, project_id }, about }) => {
        if (project_id !== undefined) about({ project_id });
        const wanted = { name, projectId: project_id };
        const record = await projects.create(caller.organization, wanted);
        about({ project_id: record.projectId });
        return json(presentProject(record));
      },
    }),
    endpoint('updateProject', {
      documentation: {
        tag,
        summary: 'Change a project',
        description: 'Omitted members stay as they are.',
        answer: { status: 200, description: 'The project.' },
        errors: ['project_not_found', 'project_managed_by_platform', 'conflict'],
      },
      handle: async ({ caller, path, body: { name, require_plan: requirePlan } }) => {
        const id = await idIn(caller, path);
        const change = { name, requirePlan };
        return json(presentProject(await projects.update(caller.organization, id, change)));
      },
    }),
    endpoint('deleteProject', {
      documentation: {
        tag,
        summary: 'Delete an empty project',
        description: 'A project with resources in deletion is not empty.',
        answer: { status: 204, description: 'The project is deleted, and accepts no resources.' },
        errors: ['project_not_found', 'project_managed_by_platform', 'project_in_use'],
      },
      handle: async ({ caller, path }) => {
        await projects.remove(caller.organization, await idIn(caller, path));
        return noContent;
      },
    }),
  ];
}
