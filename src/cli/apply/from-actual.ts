// Makes of a resource that has drifted what declares its object as it is, so that the declaration follows and not the object.

import type { Drift } from '../../client/drift.ts';
import { configFromActual, insteadText, type Undeclarable } from '../../client/from-actual.ts';
import { shell } from '../../client/words/shell-word.ts';
import { slashed } from '../../domain/identity.ts';
import type { Api } from '../api/client.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { requireUnmasked } from '../resources/masked.ts';
import { oneResource } from '../resources/selector.ts';
import { type RecordVersion, readVersion } from '../resources/versions.ts';

/** @returns undefined for a resource that has not drifted. @throws CliError when what is there cannot be declared */
export async function actualDeclared(
  api: Api,
  args: readonly string[],
): Promise<Declaration | undefined> {
  const [name] = args;
  if (name === undefined || args.length > 1) {
    throw usageError('--from-actual takes one resource: PROVIDER/TYPE/NAME, and no file.');
  }
  const version = await readVersion(api, oneResource(name).id);
  const { drift } = version.record;
  return drift === null ? undefined : declarationOf(version, drift);
}

function declarationOf({ record, etag }: RecordVersion, drift: Drift): Declaration {
  requireUnmasked(record);
  const made = configFromActual(record, drift);
  const ref = slashed(record);
  if ('undeclarable' in made) throw refused(ref, made.undeclarable);
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

function refused(ref: string, { reason, paths, instead }: Undeclarable): CliError {
  const next = insteadText({ instead }, (verb) => shell`fairlead ${verb} ${ref}`);
  return new CliError(`${reason}.`, {
    exit: ExitCode.conflict,
    facts: paths.map((path) => [path]),
    next: next || shell`fairlead why ${ref}`,
  });
}
