// Maps explanations, groups of causes and Kubernetes Events to response bodies.
import type { z } from 'zod';
import type * as schemas from '../../api/schemas/explanations.ts';
import type {
  CauseGroup,
  DeadLetterFacts,
  EventFacts,
  Explanation,
  NextStep,
} from '../../explanation/facts.ts';
import type { ResourceEventRecord } from '../../store/resources/events.ts';
import { presentProgress } from './resource.ts';

type ExplanationBody<S extends z.ZodType> = z.input<S>;

export function presentExplanation(
  record: Explanation,
): ExplanationBody<typeof schemas.Explanation> {
  return {
    summary: record.summary,
    resource: record.resource,
    state: record.state,
    reason: record.reason,
    chain: record.chain.map((link) => ({ ...link })),
    event: record.event === undefined ? null : presentEvent(record.event),
    dead_letter: presentDeadLetterFacts(record.deadLetter),
    log_excerpt: [...record.log],
    users: [...record.users],
    next: record.next.map(presentStep),
  };
}

export function presentGroup(record: CauseGroup): ExplanationBody<typeof schemas.CauseGroup> {
  return {
    summary: record.summary,
    cause: { ...record.cause },
    count: record.count,
    resources: [...record.resources],
    dead_letter: presentDeadLetterFacts(record.deadLetter),
    next: record.next.map(presentStep),
  };
}

function presentEvent({ eventId, eventType, attempt, maxAttempts, ...times }: EventFacts) {
  return {
    event_id: eventId,
    event_type: eventType,
    attempt,
    max_attempts: maxAttempts,
    next_attempt_at: times.nextAttemptAt,
    due_since: times.dueSince,
    limit_seconds: times.limitSeconds,
    progress: presentProgress(times.progress),
    errors: times.errors.map(({ failedAt, ...each }) => ({ ...each, failed_at: failedAt })),
  };
}

function presentDeadLetterFacts(deadLetter: DeadLetterFacts | undefined) {
  if (deadLetter === undefined) return null;
  const { eventId, resource, cause, sameCause } = deadLetter;
  return { event_id: eventId, resource, cause, same_cause: sameCause };
}

function presentStep({ jobName, projectId, eventId, settings, ...step }: NextStep) {
  return {
    ...step,
    ...(eventId !== undefined && { event_id: eventId }),
    ...(settings !== undefined && { settings: [...settings] }),
    ...(jobName !== undefined && { job_name: jobName }),
    ...(projectId !== undefined && { project_id: projectId }),
  };
}

export function presentResourceEvent(
  record: ResourceEventRecord,
): ExplanationBody<typeof schemas.ResourceEvent> {
  const { type, reason, message, count, firstAt, lastAt } = record;
  return { type, reason, message, count, first_at: firstAt, last_at: lastAt };
}
