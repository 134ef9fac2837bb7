// The next status of a resource by the result of an observation. Only a change of the result is written.

import { findCondition, Reason } from '../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../crds/resource.ts';
import type { ValueComparison } from '../../domain/observation/compare.ts';
import { missedToReport } from '../../domain/observation/schedule.ts';
import type { Observation } from '../../events/protocol.ts';
import { betweenSteps } from '../../lib/turns.ts';
import { changed } from '../resource/status/status.ts';
import { isLoop } from './correction.ts';
import {
  changedDrift,
  comparisonOf,
  goneDrift,
  isSameDrift,
  type RecordedDrift,
  type SentContent,
} from './drift.ts';
import type { Subject } from './subject.ts';
import { driftInWords, inSyncInWords, loopInWords } from './words.ts';

export interface ObservationResult {
  /** Undefined: there is nothing to write. */
  readonly next: ResourceStatus | undefined;
  readonly outcome: 'in_sync' | 'changed' | 'gone';
  /** The message for people; undefined: nothing is new. */
  readonly news: { readonly reason: Reason; readonly message: string } | undefined;
}

interface ResultInput {
  readonly sent: SentContent;
  readonly answer: Observation;
  readonly request: string | undefined;
  /** The release of the corrections of the provider, if there is one. */
  readonly released: string | undefined;
  readonly now: Date;
}

const nothingCompared: ValueComparison = { changes: [], compared: 0, unknown: 0 };

/** @param subject as it is now; what was sent belongs to the same content */
export async function managedResult(
  subject: Subject,
  context: ResultInput,
): Promise<ObservationResult> {
  const { answer, sent, request, released, now } = context;
  const { resource } = subject;
  const comparison = answer.exists ? comparisonOf(sent, answer) : nothingCompared;
  await betweenSteps();
  const drift = answer.exists
    ? await changedDrift(comparison, { sent, found: answer, released, now })
    : goneDrift(resource, { released, now });
  const shown = appearance(subject, { drift, comparison }, now);
  const isNew =
    !isSameDrift(resource.status?.drift, drift) || shown.reason !== resource.status?.reason;
  const isStale = isNew && (drift !== undefined || resource.status?.drift !== undefined);
  const wasObserved = findCondition(resource.status?.conditions, 'Observed') === undefined;
  const outcome = observationOutcome(drift);
  if (!isStale && wasObserved && request === undefined) {
    return { next: undefined, outcome, news: undefined };
  }
  const fields = {
    ...(isStale ? { drift } : {}),
    ...requested(request, { exists: answer.exists, comparison, now }),
  };
  const said = isStale ? shown : presentAppearance(resource, shown);
  const next = changed(resource, { state: 'ready', ...said, fields, notObserved: null }, now);
  const isNews = isStale && resource.status?.reason !== shown.reason;
  return { next, outcome, news: isNews ? shown : undefined };
}

function observationOutcome(drift: RecordedDrift | undefined): ObservationResult['outcome'] {
  if (drift === undefined) return 'in_sync';
  return drift.kind === 'Gone' ? 'gone' : 'changed';
}

interface ReadyMessage {
  readonly reason: Reason;
  readonly message: string;
}

/** @returns the status; the same as before when an observation changes nothing of it */
function presentAppearance({ status }: Resource, otherwise: ReadyMessage): ReadyMessage {
  const message = findCondition(status?.conditions, 'Ready')?.message;
  if (status === undefined || message === undefined) return otherwise;
  return { reason: status.reason as Reason, message };
}

interface ShownDrift {
  readonly drift: RecordedDrift | undefined;
  readonly comparison: Pick<ValueComparison, 'compared' | 'unknown'>;
}

/** @returns the reason and the message of a ready resource with this drift, or without one */
function appearance(subject: Subject, { drift, comparison }: ShownDrift, now: Date): ReadyMessage {
  if (drift === undefined) {
    const isImport = subject.resource.status?.event?.type === 'OBSERVE';
    const reason = isImport ? Reason.Imported : Reason.Processed;
    return { reason, message: inSyncInWords(comparison) };
  }
  const message = driftInWords(drift);
  if (isLoop(subject, now.getTime())) {
    return { reason: Reason.CorrectionLoop, message: `${message}; ${loopInWords}` };
  }
  return { reason: drift.kind === 'Gone' ? Reason.Gone : Reason.Drifted, message };
}

/** @returns the status of a resource that was imported just now */
export function importedAppearance({ drift, comparison }: ShownDrift): ReadyMessage {
  if (drift === undefined) return { reason: Reason.Imported, message: inSyncInWords(comparison) };
  return { reason: Reason.Drifted, message: driftInWords(drift) };
}

interface ObservedState {
  readonly exists?: boolean | undefined;
  readonly comparison?: Pick<ValueComparison, 'compared' | 'unknown'>;
  readonly error?: string;
  readonly now: Date;
}

/** @returns the answer to a request, as a field of the status */
export function requested(
  request: string | undefined,
  { exists, comparison = nothingCompared, error, now }: ObservedState,
): Pick<ResourceStatus, 'observation'> {
  if (request === undefined) return {};
  const { compared, unknown } = comparison;
  const said = {
    ...(exists === undefined ? {} : { exists }),
    ...(error === undefined ? {} : { error }),
  };
  return { observation: { request, at: now.toISOString(), compared, unknown, ...said } };
}

interface FailedObservation {
  /** Without secrets. */
  readonly error: string;
  /** Since the last success, with this one. */
  readonly failures: number;
  readonly request: string | undefined;
  readonly now: Date;
}

/** @returns the next status; undefined when a failure changes nothing yet */
export function failedResult(
  { resource, isReadOnly }: Subject,
  { error, failures, request, now }: FailedObservation,
): ResourceStatus | undefined {
  const { status } = resource;
  const isKnown = findCondition(status?.conditions, 'Observed') !== undefined;
  const isReported = failures >= missedToReport && !isKnown;
  if (status === undefined || (request === undefined && !isReported)) return undefined;
  const fields = requested(request, { error, now });
  const message = `Not observed: ${error}`;
  if (isReadOnly && status.state !== 'ready') {
    const reason = status.reason as Reason;
    return changed(
      resource,
      { state: 'pending', reason, message, fields, notObserved: message },
      now,
    );
  }
  const present = presentAppearance(resource, { reason: Reason.Processed, message: '' });
  return changed(resource, { state: 'ready', ...present, fields, notObserved: message }, now);
}
