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
import { acceptedPlan, applyAll, type BatchesPlan } from '../apply/batch.ts';
import { declaredInFiles } from '../apply/declared.ts';
import { resultsOf, settledMembers } from '../apply/outcome.ts';
import { type MemberResult, showPlan } from '../apply/plan-view.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { resourceView, shownReason } from '../resource-view.ts';

type ImportedResult = MemberResult & { readonly record: ResourceRecord };

/** For people; programs receive the records. */
const importedView: View<ImportedResult> = {
  columns: [
    { title: 'RESOURCE', cell: ({ record }) => slashed(record) },
    { title: 'RESULT', cell: resultWord },
    { title: 'REASON', cell: ({ record }, { style }) => shownReason(record, style) },
  ],
  nameOf: ({ record }) => slashed(record),
};

/** @returns such as `imported` */
function resultWord({ record, member }: ImportedResult): string {
  const { lifecycle_state: state, error, drift } = record;
  if (state === 'failed') {
    return failureIn(error ?? '')?.code === 'NOT_FOUND' ? 'not found' : 'failed';
  }
  if (state !== 'ready') return 'accepted';
  if (drift != null) return 'drifted';
  return member.change === 'none' ? 'unchanged' : 'imported';
}

const asWanted = ['imported', 'unchanged'];

export async function importFiles(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const declarations = await declaredInFiles(invocation);
  requireAdopt(declarations);
  for (const { body } of declarations) body.lifecycle_state = 'pending';
  const request = { declarations };
  if (flags.on('dry-run')) await showPlan(invocation, await acceptedPlan(invocation, request));
  else await showImports(invocation, await applyAll(invocation, request));
}

async function showImports(invocation: Invocation, { members }: BatchesPlan): Promise<void> {
  const { flags, output } = invocation;
  const files = flags.on('recursive') ? [] : flags.texts('file');
  const settled = await settledMembers(invocation, members, {
    files,
    waits: true,
    isPrinted: true,
  });
  const shown = resultsOf(members, settled).flatMap(({ record, ...rest }) =>
    record === null ? [] : [{ ...rest, record }],
  );
  if (output.isForPeople) {
    // A terminal has shown the others already.
    const isLeft = (each: ImportedResult) =>
      !(settled.isShown && asWanted.includes(resultWord(each)));
    await output.list(shown.filter(isLeft), importedView);
  } else {
    await output.list(
      shown.map(({ record }) => record),
      resourceView,
    );
  }
  noteDrift(invocation, shown);
  if (settled.error !== undefined) throw settled.error;
}

function noteDrift({ talk }: Invocation, shown: readonly ImportedResult[]): void {
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
