// The status of a resource whose import found its object.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { firstTypeVersion, storedVersion } from '../../../domain/type-version.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { changedDrift, comparisonOf } from '../../observation/drift.ts';
import { importedAppearance } from '../../observation/result.ts';
import type { UnrecordedAnswer } from '../delivery/unrecorded-answers.ts';
import { secretPlaces } from '../failures/failure-record.ts';
import type { Observed } from '../observe.ts';
import { changed, type Success, succeeded } from './status.ts';

interface Import {
  readonly event: ClaimedEvent;
  /** With an object that exists. */
  readonly unrecorded: UnrecordedAnswer<'observed'>;
}

/** The declared config counts as applied, so what differs from it is drift. */
export async function importedStatus(
  { event, unrecorded }: Import,
  observed: Observed,
  now: Date,
): Promise<{ status: ResourceStatus; reason: Reason; message: string }> {
  const { answer, config, received, references, providerVersion } = unrecorded;
  if (!answer.exists) throw new RangeError('An import recorded an object that does not exist');
  const { resource, content, typeContent: type, typeVersion, correctionsReleased } = observed;
  const schemaVersion = unrecorded.schemaVersion ?? firstTypeVersion;
  const { outputs } = answer;
  const secrets = secretPlaces({ config, outputs, received }, observed);
  // Secrets of the config are not recorded before, and must not be compared or shown.
  const judged = { ...resource, status: { ...resource.status, ...secrets } as ResourceStatus };
  const sent = { resource: judged, type, config, schemaVersion };
  const comparison = comparisonOf(sent, answer);
  const drift = await changedDrift(comparison, {
    sent,
    found: answer,
    released: correctionsReleased,
    now,
  });
  const appearance = importedAppearance({ drift, comparison });
  const versions = {
    appliedTypeVersion: storedVersion(schemaVersion),
    outputsTypeVersion: storedVersion(
      answer.outputsTypeVersion ?? unrecorded.typeVersion ?? typeVersion,
    ),
  };
  const success = {
    event,
    outputs,
    config,
    secrets,
    versions,
    references,
    providerVersion,
    content,
  };
  return { status: imported(resource, { ...success, drift, ...appearance }, now), ...appearance };
}

interface Imported extends Omit<Success, 'outputs'> {
  readonly outputs: JsonObject;
  readonly drift: ResourceStatus['drift'];
  readonly reason: Reason;
  readonly message: string;
}

/** The resource is ready, and what differs from its config is drift. */
function imported(
  resource: Resource,
  { drift, reason, message, ...success }: Imported,
  now: Date,
): ResourceStatus {
  const next = succeeded(resource, success, now);
  if (next.state !== 'ready') return next;
  return changed(
    { ...resource, status: next },
    { state: 'ready', reason, message, fields: { drift } },
    now,
  );
}
