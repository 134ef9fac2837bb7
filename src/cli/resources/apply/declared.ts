// Reads what a command applies: the files of `-f`, a revision of the history, or what is there of a resource.

import type { Drift } from '../../../client/drift.ts';
import { configFromActual, insteadText, type Undeclarable } from '../../../client/from-actual.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { type Declaration, readDeclarations } from '../declarations/declaration.ts';
import { readingFor } from '../declarations/folder.ts';
import { oneResource } from '../find.ts';
import { revisionDeclared } from '../revisions.ts';
import { type RecordVersion, readVersion, requireUnmasked } from '../versions.ts';

/**
 * @param mayBeEmpty files without documents are no error
 * @returns none for `--from-actual` of a resource that has not drifted, which is said
 */
export async function declared(
  invocation: Invocation,
  mayBeEmpty = false,
): Promise<readonly Declaration[]> {
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
  if (revision === undefined) return await declaredInFiles(invocation, mayBeEmpty);
  const files = [...flags.texts('file'), ...args];
  return [await revisionDeclared(await api(), files, revision)];
}

/** @returns the declarations of `-f` */
export async function declaredInFiles(
  invocation: Invocation,
  mayBeEmpty = false,
): Promise<readonly Declaration[]> {
  const { flags, args, environment } = invocation;
  const files = [...flags.texts('file'), ...args];
  if (files.length === 0)
    throw usageError('Name what to read with -f: a file, a folder, or - for standard input.');
  return await readDeclarations(files, environment, { ...readingFor(invocation), mayBeEmpty });
}

// Makes of a resource that has drifted what declares its object as it is, so that the declaration follows and not the object.

/** @returns undefined for a resource that has not drifted. @throws CliError when what is there cannot be declared */
async function actualDeclared(api: Api, args: readonly string[]): Promise<Declaration | undefined> {
  const [name] = args;
  if (name === undefined || args.length > 1) {
    throw usageError('--from-actual takes one resource: PROVIDER/TYPE/NAME, and no file.');
  }
  const version = await readVersion(api, oneResource(name).id);
  const { drift } = version.record;
  return drift === null ? undefined : declarationFromActual(version, drift);
}

function declarationFromActual({ record, etag }: RecordVersion, drift: Drift): Declaration {
  requireUnmasked(record);
  const made = configFromActual(record, drift);
  const ref = slashed(record);
  if ('undeclarable' in made) throw undeclarableError(ref, made.undeclarable);
  const { provider, resource, name, project_id, type_version } = record;
  const { config } = made;
  const place = `what is there of ${ref}`;
  return {
    ref,
    place,
    placeOf: () => place,
    again: [ref, '--from-actual'],
    ...(etag === undefined ? {} : { ifMatch: etag }),
    body: {
      ...{ provider, resource, name, project_id, config, lifecycle_state: 'pending' },
      ...(type_version === null ? {} : { type_version }),
    },
  };
}

function undeclarableError(ref: string, { reason, paths, instead }: Undeclarable): CliError {
  const next = insteadText({ instead }, (verb) => shell`fairlead ${verb} ${ref}`);
  return new CliError(`${reason}.`, {
    exit: ExitCode.conflict,
    facts: paths.map((path) => [path]),
    next: next || shell`fairlead why ${ref}`,
  });
}
