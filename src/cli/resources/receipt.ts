// Shows orphan receipts: what may remain outside after a resource was removed without its provider.

import type { DeadLetter, Receipt, ResourceRecord } from '../../api/shapes.ts';
import { projectText } from '../../client/project.ts';
import { counted } from '../../client/time.ts';
import { shell } from '../../client/words/shell-word.ts';
import { slashed } from '../../domain/identity.ts';
import type { Api } from '../session/api/client.ts';
import type { Invocation } from '../session/invocation.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import type { View } from '../terminal/output.ts';
import { timeColumn } from '../terminal/table.ts';

export const receiptView: View<Receipt> = {
  columns: [
    { title: 'RECEIPT', cell: ({ id }) => id },
    { title: 'RESOURCE', cell: resourceOf },
    timeColumn('AGE', ({ created_at }) => created_at),
    { title: 'EXISTS', sparse: true, cell: existsText },
    { title: 'PROJECT', wide: true, cell: projectText },
    { title: 'OUTPUTS', wide: true, cell: ({ outputs }) => JSON.stringify(outputs) },
    {
      title: 'REASON',
      cell: ({ reason, error }) => (error === null ? reason : `${reason}: ${error}`),
    },
  ],
  nameOf: ({ id }) => id,
};

function resourceOf({ provider, resource_type, resource_name }: Receipt): string {
  return `${provider}/${resource_type}/${resource_name}`;
}

/** Prints the receipts of resources that were removed. That they cannot be listed does not undo it. */
export async function showReceiptsOf(
  { api, output, talk }: Invocation,
  records: readonly ResourceRecord[],
): Promise<void> {
  const receipts = await receiptsOf(await api(), records).catch((thrown: unknown) => {
    if (!(thrown instanceof CliError)) throw thrown;
    talk.note(`Objects that may remain outside cannot be shown: ${thrown.message}`);
    return [];
  });
  if (receipts.length === 0) return;
  if (output.isForPeople) await output.list(receipts, receiptView);
  const ids = receipts.map(({ id }) => id);
  talk.note(
    shell`Objects that may remain outside are in ${counted(receipts.length, 'receipt')}.  After the clean-up: fairlead receipts delete ${ids}`,
  );
}

async function receiptsOf(
  api: Api,
  records: readonly ResourceRecord[],
): Promise<readonly Receipt[]> {
  const createdAt = new Map(records.map((record) => [slashed(record), record.created_at]));
  const receipts = await api.list('listOrphanReceipts', {});
  // An earlier resource of that name may have left one.
  return receipts.filter((receipt) => {
    const since = createdAt.get(resourceOf(receipt));
    return since !== undefined && receipt.created_at >= since;
  });
}

// Says whether an object exists, as one observation has found after a failure or a forced deletion.

/** @param exists null when nothing is known */
export function existsText({ exists }: Pick<DeadLetter, 'exists'>): string {
  if (exists === null) return '';
  return exists ? 'yes' : 'no';
}
