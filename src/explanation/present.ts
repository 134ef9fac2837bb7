// Decides why a resource is in its state now. A message that was written before an attempt began, a provider was ready or a type was
// registered is replaced: a delivery writes nothing before it ends. Pure.
import { findCondition, Reason } from '../crds/conditions.ts';
import { firstMatch } from '../lib/first-match.ts';
import { reasonWhile } from '../store/resources/dependencies/unready-dependency.ts';
import { isPaused } from '../store/resources/options.ts';
import {
  iso,
  resourceReason,
  resourceRecord,
  resourceState,
  shownState,
} from '../store/resources/state.ts';
import { type Attempt, attemptInWords, attemptOf } from './attempt.ts';
import { driftOf } from './drift.ts';
import type { DeliveryFacts, Step } from './facts.ts';

export interface Present {
  readonly reason: string;
  readonly message: string | null;
  readonly since: string | null;
}

interface PresentMoment {
  readonly now: Date;
  readonly maxAttempts: number;
}

interface PresentSituation extends PresentMoment {
  readonly step: Step;
  readonly stored: string;
  /** Undefined for a resource that waits for another one. */
  readonly delivery: DeliveryFacts | undefined;
}

type Rule = (situation: PresentSituation) => Present | undefined;

/** First match wins; then what is stored holds. */
const rules: readonly Rule[] = [
  withAttempt,
  whileDependencyIsUnready,
  afterDependencies,
  afterProvider,
  afterRegistration,
  afterPause,
];

/** @param delivery for the last resource of a path */
export function presentOf(
  step: Step,
  delivery: DeliveryFacts | undefined,
  at: PresentMoment,
): Present {
  const stored = resourceReason(step.resource, resourceState(step.resource));
  return firstMatch(rules, { ...at, step, stored, delivery }) ?? presentAsStored(step, stored);
}

function presentAsStored({ resource }: Step, reason: string): Present {
  const ready = findCondition(resource.status?.conditions, 'Ready')?.lastTransitionTime;
  // A resource that drifts stays ready.
  const since = driftOf(resource)?.drift.since ?? ready;
  return {
    reason,
    message: resourceRecord(resource).message,
    since: since === undefined ? null : iso(since),
  };
}

function withAttempt({ step, stored, delivery, ...at }: PresentSituation): Present | undefined {
  if (delivery === undefined) return undefined;
  const attempt = attemptOf(step.resource, delivery, at);
  if (attempt === undefined) return undefined;
  const { message, since } = presentAsStored(step, stored);
  const words = attemptInWords(attempt, at.now);
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  // Progress has the message of the operation already.
  const isWorking = speaksOfNow(stored, attempt) && attempt.progress === '';
  const shown = [...(isWorking && message ? [message] : []), sentence].join('. ');
  if (attempt.is === 'due') {
    const reason = attempt.isAskedAgain ? Reason.InProgress : begunAs(step, attempt);
    return { reason, message: shown, since: attempt.at };
  }
  // The provider that it waited for is there again, or there would be no attempt.
  const scheduled = attempt.isAskedAgain ? Reason.InProgress : Reason.RetryScheduled;
  const reason = stored === Reason.WaitingForProvider ? scheduled : stored;
  return { reason, message: shown, since };
}

function begunAs({ resource }: Step, { half }: Attempt): Reason {
  if (resourceState(resource) === 'deleting') return Reason.Deleting;
  if (resource.status?.event?.type === 'OBSERVE') return Reason.Importing;
  return half === '' ? Reason.Processing : Reason.Replacing;
}

/** The stored message is still true. */
function speaksOfNow(stored: string, { is }: Attempt): boolean {
  const isHeld = stored === Reason.RateLimited || stored === Reason.SettingsRefused;
  return stored === Reason.InProgress || (isHeld && is === 'scheduled');
}

const ofDependencies: ReadonlySet<string> = new Set(Object.values(reasonWhile));

function whileDependencyIsUnready({ step, stored }: PresentSituation): Present | undefined {
  if (step.waitsFor === undefined) return undefined;
  const reason = reasonWhile[step.waitsFor.is];
  if (reason === stored) return undefined;
  return { ...presentAsStored(step, stored), reason, message: null };
}

function queued({ step, stored }: PresentSituation, message: string): Present {
  const reason = resourceState(step.resource) === 'deleting' ? Reason.Deleting : Reason.Queued;
  return { ...presentAsStored(step, stored), reason, message };
}

function afterDependencies(situation: PresentSituation): Present | undefined {
  const { step, stored } = situation;
  if (step.waitsFor !== undefined || !ofDependencies.has(stored)) return undefined;
  return queued(situation, 'All dependencies are ready, and its event follows');
}

function afterProvider(situation: PresentSituation): Present | undefined {
  const { step, stored, delivery } = situation;
  if (stored !== Reason.WaitingForProvider || delivery?.isServed !== true) return undefined;
  return queued(
    situation,
    `Provider ${step.resource.spec.provider} is ready, and the event follows`,
  );
}

function afterRegistration(situation: PresentSituation): Present | undefined {
  const { step, stored, delivery } = situation;
  const isWaiting = stored === Reason.TypeNotRegistered || stored === Reason.TypeRetired;
  // A failure for good stays one.
  if (!isWaiting || shownState(step.resource) === 'failed' || delivery?.isRegistered !== true)
    return undefined;
  return queued(situation, 'Its type is registered, and its event follows');
}

function afterPause(situation: PresentSituation): Present | undefined {
  const { step, stored } = situation;
  if (stored !== Reason.Paused || isPaused(step.resource.spec)) return undefined;
  return queued(situation, 'It is not paused any more, and its event follows');
}
