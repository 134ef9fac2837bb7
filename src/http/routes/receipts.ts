// Implements /ops/orphan-receipts: what may remain outside of resources that were removed without their provider.

import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import { truncate } from '../../domain/truncate.ts';
import type { ReceiptStore } from '../../store/dead-letters/orphan-receipts.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentReceipt } from '../response/dead-letter.ts';
import { jsonList, noContent } from '../response/send.ts';
import { ReceiptPath, Receipts } from '../schemas/dead-letters.ts';

export interface ReceiptRoutesDeps {
  readonly receipts: Omit<ReceiptStore, 'write'>;
}

const tag = 'Orphan receipts';
const maxIdLength = 80;

export function receiptRoutes({ receipts }: ReceiptRoutesDeps): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/ops/orphan-receipts',
      access: 'listReceipts',
      documentation: {
        operationId: 'listOrphanReceipts',
        tag,
        summary: 'List what may remain outside',
        description:
          'One receipt for each resource that was let go although its provider had not cleaned up. The oldest first.',
        answer: { status: 200, description: 'The receipts.', schema: Receipts },
      },
      handle: async ({ caller }) =>
        jsonList((await receipts.list(caller.organization)).map(presentReceipt)),
    }),
    endpoint({
      method: 'DELETE',
      path: '/ops/orphan-receipts/{id}',
      access: 'deleteReceipt',
      accepts: { path: ReceiptPath },
      documentation: {
        operationId: 'deleteOrphanReceipt',
        tag,
        summary: 'Delete a receipt',
        description: 'For who has seen to what it speaks of.',
        answer: { status: 204, description: 'It is gone.' },
        errors: [ErrorCode.receiptNotFound],
      },
      handle: async ({ caller, path: { id } }) => {
        if (await receipts.remove(caller.organization, id)) return noContent;
        const message = `Receipt not found: ${truncate(id, maxIdLength)}`;
        throw new FairleadError(ErrorCode.receiptNotFound, message);
      },
    }),
  ];
}
