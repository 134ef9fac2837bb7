// The next status of a resource that is only observed: its outputs come from observations. Pure.
import { findCondition, Reason } from '../../crds/conditions.ts';
import type { ResourceStatus } from '../../crds/resource.ts';
import { firstTypeVersion, storedVersion } from '../../domain/type-version.ts';
import type { Observation } from '../../events/protocol.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import type { SecretPlaces } from '../resource/failures/failure-record.ts';
import { changed } from '../resource/status/status.ts';
import { type ObservationResult, requested } from './result.ts';
import type { Subject } from './subject.ts';

interface ReadOnlyContext {
  readonly answer: Observation;
  /** Version of the type that serves. */
  readonly typeVersion: number;
  readonly secrets: SecretPlaces | undefined;
  readonly references: string | undefined;
  readonly request: string | undefined;
  readonly now: Date;
}

export function readOnlyResult(subject: Subject, context: ReadOnlyContext): ObservationResult {
  const { resource } = subject;
  const { answer, request, now } = context;
  const { status } = resource;
  const shown = answer.exists ? found : notFound;
  const object = answer.exists ? objectFields(answer, context) : noObject;
  const isSame = status?.reason === shown.reason && hasFields(status, object);
  const isClear = findCondition(status?.conditions, 'Observed') === undefined;
  const outcome = answer.exists ? 'in_sync' : 'gone';
  if (isSame && isClear && request === undefined) {
    return { next: undefined, outcome, news: undefined };
  }
  const fields = { ...object, ...requested(request, { exists: answer.exists, now }) };
  const next = changed(resource, { ...shown, fields, notObserved: null }, now);
  const news = status?.reason === shown.reason ? undefined : shown;
  return { next, outcome, news };
}

const found = {
  state: 'ready',
  reason: Reason.Found,
  message: 'The object exists; it is only observed',
} as const;

const notFound = {
  state: 'pending',
  reason: Reason.NotFound,
  message: 'The object does not exist; it is looked for again',
} as const;

type StatusFields = { readonly [Name in keyof ResourceStatus]?: ResourceStatus[Name] | undefined };

const noObject: StatusFields = {
  outputs: undefined,
  identity: undefined,
  appliedConfig: undefined,
  appliedTypeVersion: undefined,
  outputsTypeVersion: undefined,
  appliedSecrets: undefined,
  receivedSecrets: undefined,
  outputsSecrets: undefined,
  drift: undefined,
};

/** The observed object becomes the config of the last success: an event that takes it over finds it as the previous one. */
function objectFields(
  answer: Extract<Observation, { exists: true }>,
  { typeVersion, secrets, references }: ReadOnlyContext,
): StatusFields {
  return {
    ...noObject,
    outputs: answer.outputs as ResourceStatus['outputs'],
    appliedConfig: answer.config as ResourceStatus['appliedConfig'],
    appliedTypeVersion: storedVersion(answer.schemaVersion ?? typeVersion),
    outputsTypeVersion: storedVersion(
      answer.outputsTypeVersion ?? answer.schemaVersion ?? typeVersion ?? firstTypeVersion,
    ),
    ...secrets,
    references,
  };
}

function hasFields(status: ResourceStatus, fields: StatusFields): boolean {
  return Object.entries(fields).every(
    ([name, value]) =>
      canonicalJson((status[name as keyof ResourceStatus] ?? null) as JsonObject) ===
      canonicalJson((value ?? null) as JsonObject),
  );
}
