// Reads resources with the version that they have, for commands that change them only as they were seen.
import type { ResourceRecord } from '../../api/shapes.ts';
import { declaredOptions } from '../../client/resource-options.ts';
import { slashed } from '../../domain/identity.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Api } from '../session/api/client.ts';
import { inParallel } from '../session/api/parallel.ts';
import { missingResources } from '../session/meant.ts';
import { undefinedIfMissing } from '../terminal/errors/api-error.ts';
import { CliError, type Fact } from '../terminal/errors/cli-error.ts';
import { ExitCode, worstOf } from '../terminal/exit-codes.ts';

export interface RecordVersion {
  readonly record: ResourceRecord;
  readonly etag: string | undefined;
}

/** A resource in deletion is found, too, so that nobody reads that it does not exist. */
export async function readVersion(
  api: Api,
  id: string,
  hiding: { readonly secrets?: 'hide' } = {},
): Promise<RecordVersion> {
  const query = { deleting: 'include', ...hiding } as const;
  const { body, headers } = await api.request('getResource', { path: { resource_id: id }, query });
  return { record: body, etag: headers.etag };
}

/** @throws CliError before anything is changed, when one does not exist */
export async function readVersions(
  api: Api,
  names: readonly string[],
  hiding: { readonly secrets?: 'hide' } = {},
): Promise<readonly RecordVersion[]> {
  const found = await inParallel(names, (id) =>
    readVersion(api, id, hiding).catch(undefinedIfMissing),
  );
  const missing = names.filter((_, at) => found[at] === undefined);
  const errors = await missingResources(api, missing);
  requireAll(
    errors.map((error, at) => ({ name: missing[at] ?? '', error })),
    names.length,
    'Nothing was changed.',
  );
  return found.filter((each) => each !== undefined);
}

/** Changes each as it was read, a few at once. @returns what came of those that were changed, and why others were not */
export async function changeEach<V extends RecordVersion, R>(
  versions: readonly V[],
  change: (version: V) => Promise<R>,
): Promise<{ readonly changed: readonly R[]; readonly failed: readonly FailedRead[] }> {
  const results = await inParallel(versions, async (version) => {
    try {
      return { changed: await change(version) };
    } catch (error) {
      if (error instanceof CliError) return { failed: { name: slashed(version.record), error } };
      throw error;
    }
  });
  return {
    changed: results.flatMap((each) => ('changed' in each ? [each.changed] : [])),
    failed: results.flatMap((each) => ('failed' in each ? [each.failed] : [])),
  };
}

interface FailedRead {
  readonly name: string;
  readonly error: CliError;
}

/** @throws CliError that names each failure */
export function requireAll(failed: readonly FailedRead[], total: number, nothing = ''): void {
  const [first, ...rest] = failed;
  if (first === undefined) return;
  if (rest.length === 0) {
    throw first.error.with({ next: `${nothing}  ${first.error.next ?? ''}`.trim() });
  }
  const facts: Fact[] = failed.map(({ name, error }) => [name, error.message, error.next ?? '']);
  throw new CliError(`${failed.length} of ${total} resources cannot be changed.`, {
    exit: worstOf(failed.map(({ error }) => error.exit)),
    facts,
    ...(nothing === '' ? {} : { next: nothing }),
  });
}

/** Returns whether two records declare the same, whatever became of it. */
export function isSameDeclaration(left: ResourceRecord, right: ResourceRecord): boolean {
  return canonicalJson(declarationText(left)) === canonicalJson(declarationText(right));
}

function declarationText({ config, tags, dependencies, ...others }: ResourceRecord) {
  const options = declaredOptions(others);
  const { adopt = null } = others;
  return { config, tags: tags ?? [], dependencies: dependencies.map(slashed), adopt, ...options };
}

// Refuses to apply what a caller has read without its secrets: an apply would lose them.

/** @throws CliError when values of the record are hidden */
export function requireUnmasked(record: ResourceRecord): void {
  if ((record.masked ?? []).length === 0) return;
  const message = `You do not see the secrets of ${slashed(record)}, so you cannot apply it.`;
  throw new CliError(message, {
    exit: ExitCode.notAllowed,
    next: 'Ask an editor.  Your organization and role: fairlead whoami',
  });
}
