// The records of a stored Resource about its secrets. Pure.
import type { Resource } from '../../crds/resource.ts';
import type { RecordedSecrets } from '../../domain/secrets/resource-secrets.ts';
import type { JsonObject } from '../../lib/json.ts';
import { contentHashOf } from './content.ts';
import { markOf } from './history/mark.ts';

/** A config that kubectl declared has no mark; once it is applied, the record of the controller stands for it. */
export function recordedSecretsOf(resource: Resource): RecordedSecrets {
  const { spec, status } = resource;
  const applied = status?.appliedSecrets;
  const isApplied = status?.state === 'ready' && status.content === contentHashOf(spec);
  const { places, adopted } = markOf(resource);
  return {
    appliedConfig: status?.appliedConfig as JsonObject | undefined,
    declared: places ?? (isApplied ? applied : undefined),
    applied,
    received: status?.receivedSecrets,
    returned: status?.outputsSecrets,
    adopt: spec.adopt as JsonObject | undefined,
    adopted,
  };
}
