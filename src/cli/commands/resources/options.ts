// The commands that set one option of resources, and change nothing else of them.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { expiryText } from '../../../client/option-marks.ts';
import { type FlagName, optionNames } from '../../../client/resource-options.ts';
import { isInDeletion } from '../../../client/shown-state.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import type { ResourceOptionsBody } from '../../../domain/resource-options.ts';
import { pick } from '../../../lib/json.ts';
import { expiryOption } from '../../resources/apply/expiry.ts';
import { unprotecting } from '../../resources/ask-delete.ts';
import { oneResource, selectorsOf } from '../../resources/find.ts';
import {
  changeEach,
  type RecordVersion,
  readVersions,
  requireAll,
} from '../../resources/versions.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { View } from '../../terminal/output.ts';

interface OptionChange {
  readonly option: FlagName | 'expires_at';
  readonly value: boolean | string | null;
  /** The state after the command, as a participle. */
  readonly done: string;
}

interface OptionChangeRequest extends OptionChange {
  readonly isDryRun: boolean;
  readonly now: Date;
}

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

export function turnOption(wanted: OptionChange & { readonly option: FlagName }) {
  return (invocation: Invocation): Promise<void> => setOption(invocation, wanted);
}

export async function expire(invocation: Invocation): Promise<void> {
  const { expires_at: time } = expiryOption(invocation);
  if (time === undefined) throw usageError('Pass --ttl or --expires.');
  const done = time === null ? 'kept' : expiryText(time, invocation.environment.now());
  await setOption(invocation, { option: 'expires_at', value: time, done });
}

async function setOption(invocation: Invocation, wanted: OptionChange): Promise<void> {
  const { args, environment, flags, output, talk } = invocation;
  const names = selectorsOf(args).map(({ text }) => oneResource(text).id);
  const api = await invocation.api();
  const isDryRun = flags.on('dry-run');
  const request = { ...wanted, isDryRun, now: environment.now() };
  const versions = await readVersions(api, [...new Set(names)], { secrets: 'hide' });
  for (const { record } of versions) requireChangeable(record, request);
  const { changed, failed } = await changeEach(versions, (version) =>
    changeOption(api, version, request),
  );
  if (output.isForPeople || changed.length !== 1) await output.list(changed, changedView);
  else for (const only of changed) await output.record(only, changedView);
  if (isDryRun && output.isForPeople) talk.note('Nothing was changed.');
  requireAll(failed, versions.length);
}

/** @throws CliError when the server would refuse the change, in words that name a command */
function requireChangeable(
  record: ResourceRecord,
  { option, value, done, now }: OptionChangeRequest,
): void {
  const name = slashed(record);
  if (record[option] === value) return;
  // A hold of its deletion may be lifted.
  if (isInDeletion(record) && value) {
    const refused = option === 'expires_at' ? 'its expiry does not change' : `cannot be ${done}`;
    throw new CliError(`${name} is being deleted, and ${refused}.`, {
      exit: ExitCode.conflict,
      next: shell`fairlead why ${name}`,
    });
  }
  if (option === 'protected' && value && record.expires_at !== null) {
    const expires = expiryText(record.expires_at, now);
    throw new CliError(`${name} ${expires}, and a resource that expires cannot be protected.`, {
      exit: ExitCode.conflict,
      next: shell`First: fairlead expire ${name} --expires never`,
    });
  }
  if (option === 'expires_at' && value !== null && record.protected) {
    throw new CliError(`${name} is protected, and a protected resource cannot expire.`, {
      exit: ExitCode.conflict,
      next: unprotecting([name]),
    });
  }
}

async function changeOption(
  api: Api,
  { record }: RecordVersion,
  { option, value, isDryRun, done }: OptionChangeRequest,
): Promise<Changed> {
  if (record[option] === value) return changedOf(record, 'unchanged');
  const path = { resource_id: record.id };
  const query = isDryRun ? { dry_run: true } : {};
  return changedOf(
    await api.call('updateResource', { path, query, body: { [option]: value } }),
    done,
  );
}

function changedOf(record: ResourceRecord, change: string): Changed {
  return { resource: slashed(record), change, ...pick(record, optionNames) };
}
