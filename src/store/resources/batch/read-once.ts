// Reads each project and each provider once for all members of a request.
import type { Organization } from '../../../domain/identity.ts';
import type { PrepareDeps } from '../apply/prepare.ts';

/** Members that are read, checked or written at the same time. */
export const atOnce = 16;

type ReadOnce = Pick<PrepareDeps, 'projects' | 'providers'>;

/** @returns the same dependencies; what they read of a project or a provider is as old as this call, at most */
export function readOnce<Deps extends ReadOnce>(deps: Deps): Deps {
  const { projects, providers } = deps;
  return {
    ...deps,
    projects: {
      isOpen: remembered((organization, id) => projects.isOpen(organization, id)),
      exists: remembered((organization, id) => projects.exists(organization, id)),
      keep: remembered((organization, id) => projects.keep(organization, id)),
      requiresPlan: remembered((organization, id) => projects.requiresPlan(organization, id)),
    },
    providers: {
      ...providers,
      requireOpen: remembered((organization, name) => providers.requireOpen(organization, name)),
    },
  };
}

/** All calls of one request are for one organization. */
function remembered<Answer>(
  ask: (organization: Organization, name: string) => Promise<Answer>,
): (organization: Organization, name: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (organization, name) => {
    const known = answers.get(name) ?? ask(organization, name);
    answers.set(name, known);
    return known;
  };
}
