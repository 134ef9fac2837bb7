// Reads what a command applies: the files of `-f`, a revision of the history, or what is there of a resource.
import { type Declaration, readDeclarations } from '../declarations/declaration.ts';
import { readingFor } from '../declarations/folder.ts';
import { usageError } from '../errors/cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { revisionDeclared } from '../resources/revisions.ts';
import { actualDeclared } from './from-actual.ts';

/** @returns none for `--from-actual` of a resource that has not drifted, which is said */
export async function declared(invocation: Invocation): Promise<readonly Declaration[]> {
  const { flags, args, api, talk } = invocation;
  const revision = flags.count('revision');
  if (flags.on('from-actual')) {
    if (revision !== undefined) throw usageError('Pass --revision or --from-actual, not both.');
    const names = [...flags.texts('file'), ...args];
    const found = await actualDeclared(await api(), names);
    if (found !== undefined) return [found];
    talk.note(`${names[0]} has not drifted: its config declares what is there.`);
    return [];
  }
  if (revision === undefined) return await declaredInFiles(invocation);
  const files = [...flags.texts('file'), ...args];
  return [await revisionDeclared(await api(), files, revision)];
}

/** @returns the declarations of `-f` in the project of flags and context */
export async function declaredInFiles(invocation: Invocation): Promise<readonly Declaration[]> {
  const { flags, args, environment, context } = invocation;
  const files = [...flags.texts('file'), ...args];
  if (files.length === 0)
    throw usageError('Name what to read with -f: a file, a folder, or - for standard input.');
  const declarations = await readDeclarations(files, environment, readingFor(invocation));
  const { project } = await context();
  return declarations.map(({ body, ...rest }) => ({
    ...rest,
    body: {
      ...body,
      ...(project === undefined || body.project_id ? {} : { project_id: project }),
    },
  }));
}
