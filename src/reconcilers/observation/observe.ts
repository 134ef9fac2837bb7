// One observation: the question, the answer, and the write of what changed.
import { Reason } from '../../crds/conditions.ts';
import type { Resource } from '../../crds/resource.ts';
import type { FailureCode } from '../../domain/failures/failure-codes.ts';
import { resolveReferences } from '../../domain/references/references.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import type { Answer, Observation } from '../../events/protocol.ts';
import {
  again,
  type Informer,
  type Key,
  type Outcome,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { kinds } from '../../store/kinds.ts';
import type { ClaimStore } from '../../store/resources/claims.ts';
import { contentHashOf } from '../../store/resources/content.ts';
import type { DeliveryGate } from '../resource/delivery/gate.ts';
import { maskedText, secretPlaces } from '../resource/failures/failure-record.ts';
import { configVersion } from '../resource/type/fitting-version.ts';
import { dependencyOutputs, knownType, receivedBy } from '../resource/type/known-type.ts';
import { typeOf } from '../resource/type/observed-type.ts';
import { type AskDeps, askProvider } from './ask.ts';
import { appliedVersion } from './drift.ts';
import type { MassGuard } from './mass-guard.ts';
import type { ObservationMemory } from './memory.ts';
import type { ObservationMeter, ObservationOutcome } from './meter.ts';
import { readOnlyResult } from './read-only.ts';
import { failedResult, managedResult, type ObservationResult } from './result.ts';
import type { ObservationRuns } from './runs.ts';
import { measuredSubject, type Subject, subjectOf } from './subject.ts';

type ReceivedTypeDeps = Parameters<typeof receivedBy>[1];

export interface ObserveDeps extends AskDeps, ReceivedTypeDeps {
  readonly memory: ObservationMemory;
  readonly gate: Pick<DeliveryGate, 'enter'>;
  readonly runs: Pick<ObservationRuns, 'begin' | 'end'>;
  readonly guard: Pick<MassGuard, 'released'>;
  readonly claims: Pick<ClaimStore, 'writeStatus'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly meter: Pick<ObservationMeter, 'observed' | 'corrected'>;
  readonly resources: Pick<Informer<Resource>, 'get'>;
  /** Finds the version of a config that is only read, and names none. */
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly clock: Clock;
}

interface ObservationRequest {
  readonly key: Key;
  readonly subject: Subject;
  readonly organizationId: string;
  readonly request: string | undefined;
}

const lookAgainMs = 1_000;

/**
 * @returns the outcome of the pass; what waits for a slot comes again when there is one. Undefined when the object was requested, and
 * nothing was written
 */
export async function observe(
  asked: ObservationRequest,
  deps: ObserveDeps,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { key, subject } = asked;
  const { resource, provider, type } = subject;
  const request = { key, provider, type: resource.spec.resource, limit: type.concurrency };
  const passage = deps.gate.enter(request);
  if (passage.enter === 'busy') {
    return waitUntil(new Date(deps.clock.now().getTime() + lookAgainMs));
  }
  if (passage.enter !== 'go') return settled;
  try {
    return await ask(asked, deps, signal);
  } finally {
    passage.lease.release();
  }
}

async function ask(
  asked: ObservationRequest,
  deps: ObserveDeps,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { key, subject, organizationId } = asked;
  const { runs, clock, meter, guard } = deps;
  const { resource, type, provider } = subject;
  const began = clock.monotonic();
  const released = guard.released(provider);
  const compared = await comparedWith(subject, deps);
  const overtaken = runs.begin(key);
  const limitMs = type.timeoutSeconds === undefined ? undefined : type.timeoutSeconds * 1_000;
  const question = { resource, organizationId, limitMs, ...compared };
  const asking = question.isResolved
    ? askProvider(question, deps, AbortSignal.any([signal, overtaken]))
    : Promise.resolve(unresolved);
  const answer = await asking.finally(() => runs.end(key));
  signal.throwIfAborted();
  const answered = { answer, question, released, isOvertaken: overtaken.aborted };
  const { outcome, isWritten } = await recordAnswer(asked, answered, deps);
  meter.observed(measuredSubject(resource), outcome, (clock.monotonic() - began) / 1_000);
  return isWritten ? again : undefined;
}

/** The resource reconciler is about to say so, too. */
const unresolved: Answer = {
  kind: 'failed',
  terminal: false,
  code: 'UNKNOWN_OUTPUT' satisfies FailureCode,
  message: 'The config refers to an output that does not exist',
};

interface ObservationAnswer {
  readonly answer: Answer | undefined;
  readonly question: ComparedConfig;
  /** The release of the corrections of the provider at the request. */
  readonly released: string | undefined;
  readonly isOvertaken: boolean;
}

type ComparedConfig = Awaited<ReturnType<typeof comparedWith>>;

interface RecordedOutcome {
  readonly outcome: ObservationOutcome;
  readonly isWritten: boolean;
}

async function recordAnswer(
  { key, subject: before, request }: ObservationRequest,
  { answer, question, released, isOvertaken }: ObservationAnswer,
  deps: ObserveDeps,
): Promise<RecordedOutcome> {
  const { resources, memory, clock } = deps;
  const resource = resources.get(key);
  const subject = resource && subjectOf(resource, knownType(resource, deps));
  // The answer is about what was there before a change: it proves nothing about what is declared now.
  if (subject === undefined || isOvertaken || !isSameIdentity(before, subject)) {
    return { outcome: 'dropped', isWritten: false };
  }
  const now = clock.now();
  const scheduled = { subject, now: now.getTime() };
  const fail = async (error: string): Promise<RecordedOutcome> => {
    const failures = (memory.last(key)?.failures ?? 0) + 1;
    const next = failedResult(subject, { error, failures, request, now });
    if (next !== undefined) await deps.claims.writeStatus(subject.resource, next);
    // After the write: one that is lost is repeated by the next pass, not an interval later.
    memory.ended(key, { ...scheduled, hasFailed: true });
    return { outcome: 'not_observed', isWritten: next !== undefined };
  };
  if (answer?.kind !== 'observed') return await fail(await observationError(answer, subject, deps));
  const context = { answer, question, request, released, now };
  const { next, news, outcome } = await resultFrom(subject, context, deps);
  // The refusal is small, and answers the request: an open one would be observed again at once, for ever.
  if (!(await isStored(subject, next, deps))) return await fail(tooLarge);
  const isMissing = subject.isReadOnly && outcome === 'gone';
  memory.ended(key, { ...scheduled, hasFailed: false, released, isMissing });
  if (news !== undefined) {
    const type = outcome === 'in_sync' ? 'Normal' : 'Warning';
    const { metadata } = subject.resource;
    deps.recorder.record({ kind: kinds.resource, metadata }, { type, ...news });
  }
  return { outcome, isWritten: next !== undefined };
}

interface ResultContext {
  readonly answer: Observation;
  readonly question: ComparedConfig;
  readonly request: string | undefined;
  readonly released: string | undefined;
  readonly now: Date;
}

async function resultFrom(
  subject: Subject,
  { answer, question, request, released, now }: ResultContext,
  deps: ObserveDeps,
): Promise<ObservationResult> {
  const { resource, type, isReadOnly } = subject;
  const sent = { resource, type, ...question };
  if (!isReadOnly) return await managedResult(subject, { sent, answer, request, released, now });
  const source = sourceOf(resource, deps);
  const { typeVersion, received } = source;
  const secrets = answer.exists ? secretPlaces({ ...answer, received }, source) : undefined;
  const { references } = question;
  const context = { answer, typeVersion, secrets, references, request, now };
  return readOnlyResult(subject, context);
}

const tooLarge = 'The observation is too large to be stored';

/** @returns false when the status can never be written, however often the object is observed */
async function isStored(
  { resource }: Subject,
  next: Resource['status'] | undefined,
  deps: ObserveDeps,
): Promise<boolean> {
  if (next === undefined) return true;
  try {
    await deps.claims.writeStatus(resource, next);
    return true;
  } catch (thrown) {
    if (!hasReason(thrown, 'tooLarge')) throw thrown;
    const { metadata } = resource;
    const news = { type: 'Warning', reason: Reason.TooLarge, message: tooLarge } as const;
    deps.recorder.record({ kind: kinds.resource, metadata }, news);
    return false;
  }
}

async function observationError(
  answer: Exclude<Answer, Observation> | undefined,
  { resource }: Subject,
  deps: ObserveDeps,
): Promise<string> {
  if (answer === undefined) return `No process of provider ${resource.spec.provider} is ready`;
  if (answer.kind !== 'failed')
    return 'The provider answered with something else than an observation';
  const error = await maskedText(answer.message, sourceOf(resource, deps));
  return error.slice(0, maxErrorLength);
}

const maxErrorLength = 1_000;

/** The values that the masking of secrets needs. */
function sourceOf(resource: Resource, deps: ObserveDeps) {
  const resolution = resolutionOf(resource, deps);
  const received = resolution.hash === undefined ? undefined : receivedBy(resource, deps);
  return { resource, ...typeOf(knownType(resource, deps)), resolution, received };
}

function resolutionOf(resource: Resource, deps: ObserveDeps) {
  return resolveReferences(resource.spec.config as JsonObject, dependencyOutputs(resource, deps));
}

/** @returns the config that the object is compared with, or, of one that is only read, that by which it is found */
async function comparedWith({ resource, isReadOnly }: Subject, deps: ObserveDeps) {
  const { spec, status } = resource;
  if (!isReadOnly) {
    const config = status?.appliedConfig as JsonObject;
    return { config, schemaVersion: appliedVersion(resource), isResolved: true };
  }
  const resolution = resolutionOf(resource, deps);
  const { config, hash, unresolved: missing } = resolution;
  const { content } = knownType(resource, deps);
  const schemaVersion =
    spec.typeVersion ?? (await configVersion(resource, { content, resolution }, deps));
  // With the answer, they are recorded as those of the question: an output that changes meanwhile is another object.
  return { config, schemaVersion, references: hash, isResolved: missing.length === 0 };
}

function isSameIdentity({ resource: one }: Subject, { resource: other }: Subject): boolean {
  return identity(one) === identity(other);
}

function identity({ metadata, spec, status }: Resource): string {
  const { id, sequence, requeued } = status?.event ?? {};
  return JSON.stringify([
    metadata.uid,
    contentHashOf(spec),
    status?.content,
    id,
    sequence,
    requeued,
  ]);
}
