// The project that a request names, by its id or its name.
import type { ProjectNames } from '../../store/projects/names.ts';
import type { Caller } from '../auth/authenticate.ts';

interface NamedProject {
  readonly caller: Pick<Caller, 'organization' | 'project'>;
  readonly text: string;
  /** Where the request has it. */
  readonly loc: readonly string[];
}

/**
 * @returns its id; a text that names no project as it is. A token that is confined to one project learns no name of another.
 * @throws InvalidRequest for the name of several projects
 */
export function projectIdIn(
  names: ProjectNames,
  { caller: { organization, project }, text, loc }: NamedProject,
): Promise<string> {
  if (project === undefined) return names.idOf(organization, text, loc);
  return Promise.resolve(names.nameOf(organization, project) === text ? project : text);
}
