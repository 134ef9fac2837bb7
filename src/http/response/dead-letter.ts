// Maps dead letters, their causes and orphan receipts to response bodies.
import * as schemas from '../../api/schemas/dead-letters.ts';
import { receiptKind } from '../../domain/dead-letter.ts';
import type { DeadLetterRecord } from '../../store/dead-letters/causes.ts';
import type { ReceiptRecord } from '../../store/dead-letters/orphan-receipts.ts';
import { presenterOf } from './body.ts';

/** The organization is that of the caller's token: the stored letter may be forged. */
export interface LetterView {
  readonly organizationId: string;
  projectName(projectId: string): string;
}

const deadLetterBody = presenterOf(schemas.DeadLetter);
const detailBody = presenterOf(schemas.DeadLetterDetail);
const receiptBody = presenterOf(schemas.Receipt);

export function presentDeadLetter(record: DeadLetterRecord, view: LetterView) {
  return deadLetterBody(shownLetter(record, view));
}

export function presentDeadLetterDetail(record: DeadLetterRecord, view: LetterView) {
  const { log = [] } = record;
  return detailBody({ ...shownLetter(record, view), logExcerpt: log.length === 0 ? null : log });
}

function shownLetter(record: DeadLetterRecord, { organizationId, projectName }: LetterView) {
  return {
    ...record,
    id: record.eventId,
    exists: record.exists,
    organizationId,
    projectName: projectName(record.projectId),
  };
}

export const presentCause = presenterOf(schemas.DeadLetterCause);
export const presentRedrive = presenterOf(schemas.Redrive);

export function presentReceipt(record: ReceiptRecord, projectName: LetterView['projectName']) {
  return receiptBody({
    ...record,
    projectName: projectName(record.projectId),
    kind: receiptKind(record.reason),
    exists: record.exists,
    eventId: record.eventId,
    createdAt: record.at,
  });
}
