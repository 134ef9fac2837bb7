// `fairlead receipts`: what may remain outside after a resource was removed without its provider.

import { counted } from '../../../client/time.ts';
import { receiptView } from '../../resources/receipt.ts';
import { inParallel } from '../../session/api/parallel.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function listReceipts({ api, output, talk }: Invocation): Promise<void> {
  const receipts = await (await api()).list('listOrphanReceipts', {});
  await output.list(receipts, receiptView);
  if (output.isForPeople) {
    const next =
      receipts.length === 0 ? '' : '  After the clean-up: fairlead receipts delete RECEIPT';
    talk.note(`${counted(receipts.length, 'receipt')}.${next}`);
  }
}

export async function deleteReceipts(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const api = await invocation.api();
  const all = await api.list('listOrphanReceipts', {});
  const missing = args.filter((id) => !all.some((receipt) => receipt.id === id));
  if (missing.length > 0) {
    throw new CliError(`There is no receipt ${missing.join(', ')}.`, {
      exit: ExitCode.notFound,
      next: 'Nothing was deleted.  The receipts: fairlead receipts list',
    });
  }
  if (flags.on('dry-run')) {
    await output.list(
      all.filter(({ id }) => args.includes(id)),
      receiptView,
    );
    return;
  }
  await inParallel(args, (id) => api.request('deleteOrphanReceipt', { path: { id } }));
  talk.note(`${counted(args.length, 'receipt')} deleted.`);
}
