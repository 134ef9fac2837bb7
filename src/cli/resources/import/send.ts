// `fairlead import -f`: applies documents that name existing objects, waits, and reports the result of each.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { failureIn } from '../../../domain/failures/failure-text.ts';
import { slashed } from '../../../domain/identity.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { View } from '../../terminal/output.ts';
import { type CheckedDeclaration, checkAll } from '../apply/check.ts';
import { declaredInFiles } from '../apply/declared.ts';
import { settledTargets, settleTarget } from '../apply/outcome.ts';
import { showPlan } from '../apply/plan.ts';
import { requireAccepted } from '../apply/refusal.ts';
import { sendAll } from '../apply/send.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { inOrder } from '../declarations/order.ts';
import { resourceView, shownReason } from '../resource-view.ts';

interface ImportResult {
  readonly record: ResourceRecord;
  readonly isUnchanged: boolean;
}

/** For people; programs receive the records. */
const importedView: View<ImportResult> = {
  columns: [
    { title: 'RESOURCE', cell: ({ record }) => slashed(record) },
    { title: 'RESULT', cell: resultWord },
    { title: 'REASON', cell: ({ record }, { style }) => shownReason(record, style) },
  ],
  nameOf: ({ record }) => slashed(record),
};

/** @returns such as `imported` */
function resultWord({ record, isUnchanged }: ImportResult): string {
  const { lifecycle_state: state, error, drift } = record;
  if (state === 'failed') {
    return failureIn(error ?? '')?.code === 'NOT_FOUND' ? 'not found' : 'failed';
  }
  if (state !== 'ready') return 'accepted';
  if (drift != null) return 'drifted';
  return isUnchanged ? 'unchanged' : 'imported';
}

const asWanted = ['imported', 'unchanged'];

export async function importFiles(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const declarations = await declaredInFiles(invocation);
  requireAdopt(declarations);
  for (const { body } of declarations) body.lifecycle_state = 'pending';
  inOrder(declarations, ({ ref, body }) => ({ ref, ...body }));
  const api = await invocation.api();
  const { checked, refusals } = await checkAll(invocation, declarations);
  const total = declarations.length;
  const nothing = `Nothing was imported (${counted(total, 'document was', 'documents were')} checked).`;
  await requireAccepted(refusals, { api, total, nothing });
  if (flags.on('dry-run')) return await showPlan(invocation, checked);
  await sendImports(invocation, checked);
}

async function sendImports(
  invocation: Invocation,
  checked: readonly CheckedDeclaration[],
): Promise<void> {
  const { flags, output } = invocation;
  const api = await invocation.api();
  const results = await sendAll(invocation, checked);
  const sent = results.filter((each) => 'record' in each);
  const targets = sent.map(settleTarget);
  const files = flags.on('recursive') ? [] : flags.texts('file');
  const waiting = { files, waits: true, isPrinted: true };
  const settled = await settledTargets(invocation, targets, waiting);
  const shown = sent.map(({ change, record }) => ({
    record: settled.records.get(record.id) ?? record,
    isUnchanged: change === 'none',
  }));
  if (output.isForPeople) {
    // A terminal has shown the others already.
    const isLeft = (each: ImportResult) =>
      !(settled.isShown && asWanted.includes(resultWord(each)));
    await output.list(shown.filter(isLeft), importedView);
  } else {
    await output.list(
      shown.map(({ record }) => record),
      resourceView,
    );
  }
  noteDrift(invocation, shown);
  const failures = results.flatMap((each) =>
    'error' in each ? [{ ...each.checked, error: each.error }] : [],
  );
  await requireAccepted(failures, { api, total: results.length, nothing: '' });
  if (settled.error !== undefined) throw settled.error;
}

function noteDrift({ talk }: Invocation, shown: readonly ImportResult[]): void {
  const drifted = shown.filter((each) => resultWord(each) === 'drifted');
  const [first] = drifted;
  if (first === undefined) return;
  const what = counted(drifted.length, 'object differs', 'objects differ');
  talk.note(
    shell`${what} from what the file declares, and nothing was changed.  What differs: fairlead get ${slashed(first.record)}`,
  );
}

/** @throws CliError: an apply without it would create what exists */
function requireAdopt(declarations: readonly Declaration[]): void {
  const lacking = declarations.filter(({ body }) => body.adopt == null);
  if (lacking.length === 0) return;
  const what = lacking.length === 1 ? 'A document has' : `${lacking.length} documents have`;
  throw new CliError(`${what} no adopt, which identifies the object to import.`, {
    exit: ExitCode.usage,
    facts: lacking.map(({ place, ref }) => [place, ref]),
    next: 'A file with one: fairlead import RESOURCE --id ID.  To create new objects: fairlead apply -f FILE',
  });
}
