// Maps dead letters, their causes and orphan receipts to response bodies.

import type { z } from 'zod';
import type * as schemas from '../../api/schemas/dead-letters.ts';
import { receiptKind } from '../../domain/dead-letter.ts';
import type { CauseRecord, DeadLetterRecord } from '../../store/dead-letters/causes.ts';
import type { ReceiptRecord } from '../../store/dead-letters/orphan-receipts.ts';
import type { RedriveProgress } from '../../store/dead-letters/redrive-progress.ts';

type DeadLetterBody<S extends z.ZodType> = z.input<S>;

/** The organization is that of the caller's token: the stored letter may be forged. */
export interface LetterView {
  readonly organizationId: string;
  projectName(projectId: string): string;
}

export function presentDeadLetter(
  record: DeadLetterRecord,
  { organizationId, projectName }: LetterView,
): DeadLetterBody<typeof schemas.DeadLetter> {
  return {
    event_id: record.eventId,
    id: record.eventId,
    provider: record.provider,
    resource_type: record.resourceType,
    resource_name: record.resourceName,
    event_type: record.eventType,
    error_code: record.errorCode,
    error_message: record.errorMessage,
    exists: record.exists ?? null,
    attempt_count: record.attemptCount,
    failed_at: record.failedAt.toISOString(),
    payload: record.payload,
    organization_id: organizationId,
    project_id: record.projectId,
    project_name: projectName(record.projectId),
    superseded: record.superseded,
    cause: record.cause,
  };
}

export function presentDeadLetterDetail(
  record: DeadLetterRecord,
  view: LetterView,
): DeadLetterBody<typeof schemas.DeadLetterDetail> {
  const { log = [] } = record;
  return {
    ...presentDeadLetter(record, view),
    log_excerpt: log.length === 0 ? null : [...log],
  };
}

export function presentCause(record: CauseRecord): DeadLetterBody<typeof schemas.DeadLetterCause> {
  return {
    provider: record.provider,
    cause: record.cause,
    error_code: record.errorCode,
    error_message: record.errorMessage,
    example_message: record.exampleMessage ?? null,
    count: record.count,
    superseded: record.superseded,
    oldest_failed_at: record.oldestFailedAt.toISOString(),
    newest_failed_at: record.newestFailedAt.toISOString(),
    examples: [...record.examples],
  };
}

export function presentRedrive(progress: RedriveProgress): DeadLetterBody<typeof schemas.Redrive> {
  const { state, retried, left, held, causes, endedAt } = progress;
  return {
    state,
    retried,
    left,
    held,
    causes: causes.map((each) => ({ ...each })),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

export function presentReceipt(
  record: ReceiptRecord,
  projectName: LetterView['projectName'],
): DeadLetterBody<typeof schemas.Receipt> {
  return {
    id: record.id,
    provider: record.provider,
    resource_type: record.resourceType,
    resource_name: record.resourceName,
    project_id: record.projectId,
    project_name: projectName(record.projectId),
    organization_id: record.organizationId,
    reason: record.reason,
    kind: receiptKind(record.reason),
    protected: record.protected,
    error: record.error,
    exists: record.exists ?? null,
    event_id: record.eventId ?? null,
    config: record.config,
    outputs: record.outputs,
    omitted: [...record.omitted],
    created_at: record.at.toISOString(),
  };
}
