// What the members of one request share: each project and each provider is read once for all of them.
import type { Organization } from '../../../domain/identity.ts';
import type { PrepareDeps } from '../apply/prepare.ts';

/** Members that are read, checked or written at the same time. */
export const atOnce = 16;

type Shared = Pick<PrepareDeps, 'projects' | 'providers'>;

/** @returns the same dependencies; what they read of a project or a provider is as old as this call, at most */
export function readOnce<Deps extends Shared>(deps: Deps): Deps {
  const { projects, providers } = deps;
  return {
    ...deps,
    projects: {
      isOpen: once((organization, id) => projects.isOpen(organization, id)),
      exists: once((organization, id) => projects.exists(organization, id)),
      keep: once((organization, id) => projects.keep(organization, id)),
    },
    providers: {
      ...providers,
      requireOpen: once((organization, name) => providers.requireOpen(organization, name)),
    },
  };
}

/** All calls of one request are for one organization. */
function once<Answer>(
  ask: (organization: Organization, name: string) => Promise<Answer>,
): (organization: Organization, name: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (organization, name) => {
    const known = answers.get(name) ?? ask(organization, name);
    answers.set(name, known);
    return known;
  };
}
