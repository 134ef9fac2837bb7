// Builds dead letters and orphan receipts. Masks secrets by the schema of the type before any text is written to a status,
// an Event or a ConfigMap.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { ResourceStatus } from '../../../crds/resource.ts';
import { maskCredentials } from '../../../credentials/mask.ts';
import { plainCode } from '../../../domain/event.ts';
import { failureText } from '../../../domain/failures/failure-text.ts';
import { projectIdOf } from '../../../domain/identity.ts';
import { maxProgressMessageLength, type Progress } from '../../../domain/progress/value.ts';
import { identifying } from '../../../domain/secrets/identifying.ts';
import { mask } from '../../../domain/secrets/marks.ts';
import { createSecretMask, inLines, type SecretMask } from '../../../domain/secrets/mask-text.ts';
import {
  marksOfResource,
  placesToRecord,
  type ReceivedSecrets,
  secretTexts,
} from '../../../domain/secrets/resource-secrets.ts';
import { configOnly, type TypeSchemas } from '../../../domain/secrets/type-schemas.ts';
import { codeLimit } from '../../../events/answers.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { truncate } from '../../../lib/text.ts';
import type { DeadLetter } from '../../../store/dead-letters/object.ts';
import type { Receipt } from '../../../store/dead-letters/orphan-receipts.ts';
import { isProtected } from '../../../store/resources/options.ts';
import { recordedSecretsOf } from '../../../store/resources/recorded-secrets.ts';
import type { Observed } from '../observe.ts';
import { isCancelling } from '../status/event-status.ts';

const maxErrorLength = 4_096;

type FailureSource = Pick<Observed, 'resource' | 'schema' | 'resolution' | 'typeRegistered'> &
  Partial<Pick<Observed, 'schemas' | 'received' | 'unrecorded'>>;

/**
 * @returns the code, and `CODE: message`, both without the secrets ever sent to the provider, the message also without what
 * looks like a credential
 */
export async function maskedFailure(
  { code, message }: { code: string; message: string },
  source: FailureSource,
): Promise<{ readonly code: string; readonly error: string }> {
  const shown = maskedCode(code, source);
  const text = failureText({ code: shown, message });
  const error = await maskCredentials(masksOf(source).texts.text(text));
  return { code: shown, error: error.slice(0, maxErrorLength) };
}

/** @returns a provider's text without the secrets ever sent to it, and without what looks like a credential */
export function maskedText(text: string, source: FailureSource): Promise<string> {
  return maskCredentials(masksOf(source).texts.text(text));
}

/** @returns the progress with its message masked as by `maskedText`, which may make it longer */
export async function maskedProgress(progress: Progress, source: FailureSource): Promise<Progress> {
  if (progress.message === undefined) return progress;
  const message = await maskedText(progress.message, source);
  return { ...progress, message: truncate(message, maxProgressMessageLength) };
}

/** @returns lines of a provider's log, masked as by `maskedText`; fewer, when a credential takes several of them */
export async function maskedLog(
  lines: readonly string[],
  source: FailureSource,
): Promise<readonly string[]> {
  const { lines: secrets } = masksOf(source);
  // Each for itself: of a line that is cut, the beginning of a secret may be left at its end.
  const parts = joinedLines(lines.map((line) => secrets.text(line)));
  return (await Promise.all(parts.map(maskCredentials))).flatMap((part) => part.split('\n'));
}

/** The secrets of one source, as they are looked for in texts, in single lines and in codes. */
interface Masks {
  readonly texts: SecretMask;
  readonly lines: SecretMask;
  readonly codes: SecretMask;
}

const masks = new WeakMap<FailureSource, Masks>();

/** Made once for a source, which is never mutated: a failure has a code, a message, lines of a log and outputs. */
function masksOf(source: FailureSource): Masks {
  const known = masks.get(source);
  if (known !== undefined) return known;
  const secrets = failureSecrets(source);
  const made = {
    texts: createSecretMask(secrets),
    lines: createSecretMask(inLines(secrets)),
    codes: createSecretMask(secrets.map(plainCode)),
  };
  masks.set(source, made);
  return made;
}

/** @returns the lines in texts that are masked as a whole */
function joinedLines(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.pop();
    const longer = last === undefined ? line : `${last}\n${line}`;
    if (longer.length <= maxErrorLength) texts.push(longer);
    else texts.push(...(last === undefined ? [] : [last]), line);
  }
  return texts;
}

/** Secrets of the config to send, of the one that was sent, and of what an event also contains: the applied config and outputs. */
function failureSecrets(source: FailureSource): readonly string[] {
  const { resource, resolution, received, unrecorded } = source;
  const secrets = recordedSecretsOf(resource);
  const outputs = (resource.status?.outputs ?? {}) as JsonObject;
  const schemas = schemasOf(source);
  const stored = { outputs, secrets };
  const texts = secretTexts({ ...stored, config: resolution.config }, schemas, received);
  if (unrecorded === undefined) return texts;
  const sent = secretTexts({ ...stored, config: unrecorded.config }, schemas, unrecorded.received);
  return [...new Set([...texts, ...sent])];
}

export interface SecretPlaces {
  readonly appliedSecrets: ResourceStatus['appliedSecrets'];
  readonly receivedSecrets: ResourceStatus['receivedSecrets'];
  readonly outputsSecrets: ResourceStatus['outputsSecrets'];
}

/** @returns the places of secrets in what succeeded, for the status */
export function secretPlaces(
  {
    config,
    outputs,
    received,
  }: { config: JsonObject; outputs: JsonObject; received?: ReceivedSecrets | undefined },
  source: FailureSource,
): SecretPlaces {
  const schemas = schemasOf(source);
  const marks = marksOfResource(recordedSecretsOf(source.resource), schemas);
  const ofOutputs = { schemas: schemas?.outputs, places: [], isRecorded: true };
  return {
    appliedSecrets: copied(placesToRecord(config, { ...marks.config, isRecorded: true })),
    receivedSecrets: copied(received?.places),
    outputsSecrets: copied(placesToRecord(outputs, ofOutputs)),
  };
}

function copied(places: readonly string[] | undefined): string[] | undefined {
  return places && [...places];
}

/** Codes become metric labels: they are truncated and cleaned of unusual characters before. */
export function maskedCode(code: string, source: FailureSource): string {
  const isCut = code.length >= codeLimit - 2;
  const text = isCut ? `${code.slice(0, -1)}…` : code;
  return masksOf(source).codes.isIn(text) ? 'masked' : code;
}

interface FailureFacts {
  readonly code: string;
  readonly error: string;
  readonly log: readonly string[];
  /** Whether an object is left; undefined when nothing is known. */
  readonly exists: boolean | undefined;
  readonly now: Date;
}

export function deadLetterOf(
  event: ClaimedEvent,
  observed: Observed,
  { code, error, log, exists, now }: FailureFacts,
): DeadLetter {
  const { resource, organizationId = '' } = observed;
  const { metadata, spec } = resource;
  return {
    eventId: event.id,
    eventType: event.type,
    organizationId,
    projectId: projectIdOf(resource),
    provider: spec.provider,
    resourceType: spec.resource,
    resourceName: spec.name,
    errorCode: code,
    errorMessage: error,
    log,
    attemptCount: event.attempt,
    exists,
    failedAt: now,
    payload: {
      event_id: event.id,
      event_type: event.type,
      provider: spec.provider,
      resource: spec.resource,
      name: spec.name,
      project_id: projectIdOf(resource),
      generation: event.generation,
      attempt: event.attempt,
      config: isReplacing(event) ? maskedApplied(observed) : maskedConfig(observed),
    },
    resource: {
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      uid: metadata.uid ?? '',
    },
    generation: event.generation,
  };
}

interface ReceiptFacts {
  readonly reason: Receipt['reason'];
  /** Whether an object is left; undefined when nothing is known. */
  readonly exists?: boolean | undefined;
  readonly now: Date;
}

export async function receiptOf(
  observed: Observed,
  { reason, exists, now }: ReceiptFacts,
): Promise<Receipt> {
  const { resource, organizationId = '', terminating } = observed;
  const { metadata, spec, status } = resource;
  return {
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    organizationId,
    projectId: projectIdOf(resource),
    provider: spec.provider,
    resourceType: spec.resource,
    resourceName: spec.name,
    config: existsOtherwise(observed) ? maskedApplied(observed) : maskedConfig(observed),
    outputs: shownOutputs(observed),
    error: (await lastError(observed)) ?? null,
    reason,
    protected: isProtected(spec),
    exists,
    eventId: status?.event?.id,
    at: now,
    terminating,
  };
}

/** An unrecorded answer is newer than the status, which describes the attempt before it. */
async function lastError(observed: Observed): Promise<string | undefined> {
  const { unrecorded, resource } = observed;
  if (unrecorded?.answer.kind !== 'failed') return resource.status?.error;
  return (await maskedFailure(unrecorded.answer, observed)).error;
}

/** Everything of an unknown type is secret, and identifiers are needed to find the object. */
function shownOutputs(observed: Observed): JsonObject {
  const { unrecorded, resource } = observed;
  const { answer } = unrecorded ?? {};
  const hasOutputs = answer?.kind === 'succeeded' && !isCancelling(resource);
  const latest = hasOutputs ? answer.outputs : resource.status?.outputs;
  const schemas = schemasOf(observed);
  const marks = marksOfResource(recordedSecretsOf(resource), schemas).outputs;
  const shown = mask({ ...marks, schemas: marks.schemas ?? [] }, (latest ?? {}) as JsonObject);
  const outputs = identifying(shown as JsonObject);
  return schemas === undefined ? outputs : (masksOf(observed).texts.value(outputs) as JsonObject);
}

/** The declared config: references stay references. */
function maskedConfig({ resource, ...source }: Observed): JsonObject {
  const marks = marksOfResource(recordedSecretsOf(resource), schemasOf(source));
  return mask(marks.config, resource.spec.config as JsonObject) as JsonObject;
}

function isReplacing({ type, replacement }: ClaimedEvent): boolean {
  return type === 'DELETE' && replacement !== undefined;
}

/** Returns whether the declared config is that of another object than what exists. */
function existsOtherwise({ resource: { status }, changedImmutables }: Observed): boolean {
  const isOld = status?.event !== undefined && isReplacing(status.event);
  return isOld || changedImmutables.length > 0;
}

/** The config with which the DELETE of a replacement was sent. */
function maskedApplied({ resource, ...source }: Observed): JsonObject {
  const marks = marksOfResource(recordedSecretsOf(resource), schemasOf(source));
  return mask(marks.applied, (resource.status?.appliedConfig ?? {}) as JsonObject) as JsonObject;
}

/** A type without a schema marks no secrets; for an unregistered type they are unknown. */
function schemasOf({
  schema,
  schemas,
  typeRegistered,
}: Pick<FailureSource, 'schema' | 'schemas' | 'typeRegistered'>): TypeSchemas | undefined {
  const known = schema ?? (typeRegistered ? {} : undefined);
  return known && (schemas ?? configOnly(known));
}
