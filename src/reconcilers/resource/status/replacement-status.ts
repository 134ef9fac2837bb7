// The status of a resource between the two events of a replacement. Pure.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { claimed } from './status.ts';

/** The old object of a replacement is gone, and with it all that was recorded of it; the event that makes the new one is claimed. */
export function createdAnew(resource: Resource, event: ClaimedEvent, now: Date): ResourceStatus {
  const next = claimed(resource, event, now);
  const {
    outputs: _outputs,
    appliedConfig: _applied,
    appliedTypeVersion: _appliedVersion,
    outputsTypeVersion: _outputsVersion,
    appliedSecrets: _appliedSecrets,
    receivedSecrets: _receivedSecrets,
    outputsSecrets: _outputsSecrets,
    providerVersion: _providerVersion,
    references: _references,
    drift: _drift,
    ...rest
  } = next;
  return rest;
}
