// `fairlead protect`, `unprotect`, `pause` and `resume`: change one option of resources, and nothing else of them.
import type { ResourceRecord } from '../../api/shapes.ts';
import { expiryText } from '../../client/resource-options.ts';
import { isInDeletion } from '../../client/shown-state.ts';
import { shell } from '../../client/words/shell-word.ts';
import { slashed } from '../../domain/identity.ts';
import type { ResourceOptionsBody } from '../../domain/resource-options.ts';
import { inexactNumberIn } from '../../lib/inexact-number.ts';
import type { Api } from '../api/client.ts';
import { requestOf } from '../apply/check.ts';
import { ApiError } from '../errors/api-error.ts';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { inParallel } from '../parallel.ts';
import type { View } from '../render/output.ts';
import { selectorsOf } from '../resources/find.ts';
import { requireUnmasked } from '../resources/masked.ts';
import { oneResource } from '../resources/selector.ts';
import { readVersion, readVersions, requireAll, type Version } from '../resources/versions.ts';

interface Wanted {
  readonly option: 'protected' | 'paused';
  readonly value: boolean;
  /** The state after the command, as a participle. */
  readonly done: string;
}

interface Asked extends Wanted {
  readonly isDryRun: boolean;
  readonly now: Date;
}

export const protect = commandFor({ option: 'protected', value: true, done: 'protected' });
export const unprotect = commandFor({ option: 'protected', value: false, done: 'unprotected' });
export const pause = commandFor({ option: 'paused', value: true, done: 'paused' });
export const resume = commandFor({ option: 'paused', value: false, done: 'resumed' });

/** Has no config: what is printed shows no secrets. */
interface Changed extends ResourceOptionsBody {
  readonly resource: string;
  readonly change: string;
}

const changedView: View<Changed> = {
  columns: [
    { title: 'RESOURCE', cell: ({ resource }) => resource },
    { title: 'CHANGE', cell: ({ change }) => change },
  ],
  nameOf: ({ resource }) => resource,
};

const atOnce = 8;

function commandFor(wanted: Wanted) {
  return async (invocation: Invocation): Promise<undefined> => {
    const { args, environment, flags, output, talk } = invocation;
    const names = selectorsOf(args).map(({ text }) => oneResource(text).id);
    const api = await invocation.api();
    const isDryRun = flags.on('dry-run');
    const asked = { ...wanted, isDryRun, now: environment.now() };
    const versions = await readVersions(api, [...new Set(names)]);
    for (const { record } of versions) requireChangeable(record, asked);
    const results = await inParallel(versions, atOnce, (version) =>
      change(api, version, asked).catch((thrown: unknown) => {
        if (thrown instanceof CliError) return { name: slashed(version.record), error: thrown };
        throw thrown;
      }),
    );
    const changed = results.filter((each) => 'resource' in each);
    if (output.isForPeople || changed.length !== 1) await output.list(changed, changedView);
    else for (const only of changed) await output.record(only, changedView);
    if (isDryRun && output.isForPeople) talk.note('Nothing was changed.');
    requireAll(
      results.filter((each) => 'error' in each),
      results.length,
    );
    return undefined;
  };
}

/** @throws CliError when the server would refuse the change, in words that name a command */
function requireChangeable(record: ResourceRecord, { option, value, done, now }: Asked): void {
  const name = slashed(record);
  if (record[option] === value) return;
  if (isInDeletion(record)) {
    throw new CliError(`${name} is being deleted, and cannot be ${done}.`, {
      exit: ExitCode.conflict,
      next: shell`fairlead why ${name}`,
    });
  }
  requireUnmasked(record);
  if (option === 'protected' && value && record.expires_at !== null) {
    const expires = expiryText(record.expires_at, now);
    throw new CliError(`${name} ${expires}, and a resource that expires cannot be protected.`, {
      exit: ExitCode.conflict,
      next: shell`First: fairlead get ${name} -o yaml | fairlead apply -f - --expires never`,
    });
  }
}

/** Status writes change the ETag too, so a lost race is retried. */
const maxRounds = 5;

async function change(api: Api, version: Version, asked: Asked): Promise<Changed> {
  let now = version;
  for (let round = 1; round <= maxRounds; round += 1) {
    if (now.record[asked.option] === asked.value) return changedOf(now.record, 'unchanged');
    const record = await applied(api, now, asked);
    if (record !== undefined) return changedOf(record, asked.done);
    now = await readVersion(api, version.record.id);
    requireChangeable(now.record, asked);
  }
  throw alwaysChanged(slashed(version.record));
}

/** @returns undefined when another was faster */
async function applied(
  api: Api,
  { record, etag }: Version,
  { option, value, isDryRun }: Asked,
): Promise<ResourceRecord | undefined> {
  const body = { ...sameContent(record), [option]: value };
  const request = requestOf({ body, ...(etag === undefined ? {} : { ifMatch: etag }) });
  const query = isDryRun ? { dry_run: true } : {};
  try {
    return await api.call('applyResource', { ...request, query });
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.code === 'precondition_failed') return undefined;
    throw thrown;
  }
}

/**
 * @returns the body of an apply that changes nothing: tags, dependencies and project stay when they are left out; so does the config,
 * which may have a number of kubectl that no apply takes, but a server of before needs it
 */
function sameContent({ provider, resource, name, config, lifecycle_state }: ResourceRecord) {
  const lifecycle = lifecycle_state === 'draft' ? 'draft' : 'pending';
  const same = { provider, resource, name, lifecycle_state: lifecycle } as const;
  return inexactNumberIn(config) === undefined ? { ...same, config } : same;
}

function changedOf(record: ResourceRecord, change: string): Changed {
  const { expires_at, paused, deletion_policy, observe, management } = record;
  const options = {
    protected: record.protected,
    expires_at,
    paused,
    deletion_policy,
    observe,
    management,
  };
  return { resource: slashed(record), change, ...options };
}

function alwaysChanged(name: string): CliError {
  return new CliError(
    `${name} changed ${maxRounds} times during this command; nothing was written.`,
    {
      exit: ExitCode.conflict,
      next: 'Run the same command again.',
    },
  );
}
