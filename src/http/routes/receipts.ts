// Implements /ops/orphan-receipts: what may remain outside of resources that were removed without their provider.

import { FairleadError } from '../../domain/errors.ts';
import { truncate } from '../../lib/text.ts';
import type { ReceiptStore } from '../../store/dead-letters/orphan-receipts.ts';
import type { ProjectNames } from '../../store/projects/names.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentReceipt } from '../response/dead-letter.ts';
import { jsonList, noContent } from '../response/send.ts';

export interface ReceiptRoutesDeps {
  readonly receipts: Omit<ReceiptStore, 'write'>;
  readonly projectNames: Pick<ProjectNames, 'nameOf'>;
}

const tag = 'Orphan receipts';
const maxIdLength = 80;

export function receiptRoutes({ receipts, projectNames }: ReceiptRoutesDeps): readonly Endpoint[] {
  return [
    endpoint('listOrphanReceipts', {
      documentation: {
        tag,
        summary: 'List orphan receipts',
        description:
          'Lists one receipt for each resource that was removed without clean-up by its provider, so that objects may remain outside. Sorted from oldest to newest.',
        answer: { status: 200, description: 'The receipts.' },
      },
      handle: async ({ caller: { organization } }) => {
        const projectName = (id: string) => projectNames.nameOf(organization, id);
        const records = await receipts.list(organization);
        return await jsonList(records.map((record) => presentReceipt(record, projectName)));
      },
    }),
    endpoint('deleteOrphanReceipt', {
      documentation: {
        tag,
        summary: 'Delete an orphan receipt',
        description: 'Use it after removing the objects that the receipt lists.',
        answer: { status: 204, description: 'The receipt is deleted.' },
        errors: ['receipt_not_found'],
      },
      handle: async ({ caller, path: { id } }) => {
        if (await receipts.remove(caller.organization, id)) return noContent;
        const message = `Receipt not found: ${truncate(id, maxIdLength)}`;
        throw new FairleadError('receipt_not_found', message);
      },
    }),
  ];
}
