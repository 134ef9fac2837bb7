// `fairlead receipts`: what may remain outside after a resource was removed without its provider.
import type { Receipt } from '../api/bodies.ts';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { inParallel } from '../parallel.ts';
import type { View } from '../render/output.ts';
import { counted, since } from '../render/time.ts';

const atOnce = 8;

const receiptView: View<Receipt> = {
  columns: [
    { title: 'RECEIPT', cell: ({ id }) => id },
    {
      title: 'RESOURCE',
      cell: ({ provider, resource_type, resource_name }) =>
        `${provider}/${resource_type}/${resource_name}`,
    },
    {
      title: 'AGE',
      cell: ({ created_at }, { now, wide }) => (wide ? created_at : since(created_at, now)),
    },
    { title: 'PROJECT', wide: true, cell: ({ project_id }) => project_id },
    { title: 'OUTPUTS', wide: true, cell: ({ outputs }) => JSON.stringify(outputs) },
    {
      title: 'REASON',
      cell: ({ reason, error }) => (error === null ? reason : `${reason}: ${error}`),
    },
  ],
  nameOf: ({ id }) => id,
};

export async function listReceipts({ api, output, talk }: Invocation): Promise<undefined> {
  const receipts = await (await api()).list('listOrphanReceipts', {});
  await output.list(receipts, receiptView);
  if (output.isForPeople) {
    const next =
      receipts.length === 0 ? '' : '  After the clean-up: fairlead receipts delete RECEIPT';
    talk.note(`${counted(receipts.length, 'receipt')}.${next}`);
  }
  return undefined;
}

export async function deleteReceipts(invocation: Invocation): Promise<undefined> {
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
    return undefined;
  }
  await inParallel(args, atOnce, (id) => api.call('deleteOrphanReceipt', { path: { id } }));
  talk.note(`${counted(args.length, 'receipt')} deleted.`);
  return undefined;
}
