// /projects: groups of resources inside an organization.
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import type { ProjectStore } from '../../store/interfaces.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentProject } from '../present.ts';
import { Project, ProjectPath, Projects } from '../schemas.ts';
import { json } from '../send.ts';

const tag = 'Projects';

export function projectRoutes({ projects }: { projects: ProjectStore }): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/projects',
      access: 'listProjects',
      documentation: {
        operationId: 'listProjects',
        tag,
        summary: 'List projects',
        answer: { status: 200, description: 'The projects.', schema: Projects },
      },
      handle: async ({ caller }) => {
        const records = await projects.list(caller.organization);
        return json(records.map(presentProject));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/{project_id}',
      access: 'getProject',
      accepts: { path: ProjectPath },
      documentation: {
        operationId: 'getProject',
        tag,
        summary: 'Get a project',
        description: 'A platform token may ask for the one project it is confined to.',
        answer: { status: 200, description: 'The project.', schema: Project },
        errors: [ErrorCode.projectNotFound],
      },
      handle: async ({ caller, path: { project_id } }) => {
        // Before the lookup: whether another project exists is none of this caller's business.
        if (caller.project !== undefined && caller.project !== project_id) {
          const message = 'The token is confined to another project';
          throw new FairleadError(ErrorCode.outsideProject, message);
        }
        return json(presentProject(await projects.get(caller.organization, project_id)));
      },
    }),
  ];
}
