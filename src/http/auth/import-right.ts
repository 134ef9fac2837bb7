// The right to import: providers see every object that their credentials see, also those of other projects.
import { FairleadError } from '../../domain/errors.ts';
import type { ImportRights } from '../../store/projects/import-rights.ts';
import type { Caller } from './claims.ts';

/** @throws FairleadError `outside_project` for a token that is confined to a project without `mayImport` */
export async function requireImportRight(
  projects: ImportRights,
  { organization, project }: Pick<Caller, 'organization' | 'project'>,
): Promise<void> {
  if (project === undefined || (await projects.mayImport(organization, project))) return;
  const message =
    'The token is confined to a project that cannot import, observe or list existing objects; use a token of the whole organization, or ask an administrator to set spec.mayImport of the Project';
  throw new FairleadError('outside_project', message);
}
