// Asks before resources are deleted, and lists before that which of them are protected, and whose objects stay.
import type { ResourceRecord } from '../../api/shapes.ts';
import { keepsObject } from '../../client/option-marks.ts';
import { counted } from '../../client/time.ts';
import { shell } from '../../client/words/shell-word.ts';
import { slashed } from '../../domain/identity.ts';
import type { Invocation } from '../session/invocation.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { deleteQuestion } from './apply/ask.ts';

const maxNamed = 20;

export interface ChosenRecords {
  readonly records: readonly ResourceRecord[];
  /** Each is named by itself. */
  readonly isExact: boolean;
}

/** @throws CliError without a question when all of them are protected */
export async function mayDelete(invocation: Invocation, chosen: ChosenRecords): Promise<boolean> {
  const { flags, globals } = invocation;
  const isForced = flags.on('force');
  if (isForced && !globals.on('yes')) return await mayForce(invocation, chosen);
  if (!isForced && !chosen.isExact) return await maySeveral(invocation, chosen);
  return await mayNamed(invocation, chosen);
}

/** A script names what it deletes, and is not asked; a person may have named the wrong one. */
async function mayNamed(invocation: Invocation, { records }: ChosenRecords): Promise<boolean> {
  const { flags, questions } = invocation;
  noteKept(invocation, records);
  const held = flags.on('orphan') ? [] : records.filter(losesObject);
  const [first] = held;
  if (first === undefined || !questions.canAsk) return true;
  const named = `Delete ${slashed(first)} and what it contains?`;
  return await questions.confirm(held.length === 1 ? named : deleteQuestion(held.length));
}

/** A protected one is refused by the server. */
function losesObject(record: ResourceRecord): boolean {
  return !(record.lifecycle_state === 'draft' || record.protected || keepsObject(record));
}

async function mayForce(invocation: Invocation, { records }: ChosenRecords): Promise<boolean> {
  const { questions, talk } = invocation;
  noteProtected(invocation, records);
  noteKept(invocation, records);
  const [first] = records;
  if (first === undefined) return true;
  talk.note(
    'With --force a resource is removed even if its provider cannot delete what it created, or others use it. What may remain outside is recorded in an orphan receipt: fairlead receipts list.',
  );
  const name = records.length === 1 ? slashed(first) : `${records.length}`;
  const what =
    records.length === 1 ? 'the name of the resource' : `the number of resources (${name})`;
  const instead = 'Pass --yes to go on without a question.';
  return (await questions.line(`Type ${what} to go on:`, instead)) === name;
}

async function maySeveral(invocation: Invocation, { records }: ChosenRecords): Promise<boolean> {
  const { questions, talk } = invocation;
  for (const record of records.slice(0, maxNamed)) {
    talk.note(`  ${slashed(record)}${record.protected ? '  protected' : ''}`);
  }
  if (records.length > maxNamed) talk.note(`  and ${records.length - maxNamed} more`);
  noteProtected(invocation, records);
  noteKept(invocation, records);
  return await questions.confirm(`Delete ${counted(records.length, 'resource')}?`);
}

/** A deleted resource that was imported must not read as a deleted database. */
function noteKept({ talk }: Invocation, records: readonly ResourceRecord[]): void {
  const kept = records.filter(keepsObject);
  const [first] = kept;
  if (first === undefined) return;
  const whose = kept.length === 1 ? slashed(first) : `${kept.length} of them`;
  talk.note(`Only the record of ${whose} is removed; the object stays where it is.`);
}

function noteProtected({ talk }: Invocation, records: readonly ResourceRecord[]): void {
  const names = records.filter((record) => record.protected).map(slashed);
  const [first] = names;
  if (first === undefined) return;
  if (names.length === records.length) throw allProtected(names);
  const what = names.length === 1 ? `${first} is` : `${names.length} of them are`;
  talk.note(`${what} protected, and will not be deleted.  ${unprotecting(names)}`);
}

function allProtected(names: readonly string[]): CliError {
  const [only] = names;
  const what = names.length === 1 ? `${only} is` : `All ${names.length} resources are`;
  return new CliError(`${what} protected and cannot be deleted.`, {
    exit: ExitCode.conflict,
    next: `Nothing was deleted.  ${unprotecting(names)}`,
  });
}

/** @returns the advice that names the command which lifts the protection of resources */
export function unprotecting(names: readonly string[]): string {
  const more = names.length > maxNamed ? ' …' : '';
  const it = names.length === 1 ? 'it' : 'they';
  return `${shell`If ${it} may go: fairlead unprotect ${names.slice(0, maxNamed)}`}${more}`;
}
