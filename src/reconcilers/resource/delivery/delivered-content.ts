// Pure. The config, the config before and the outputs that a delivery carries, each with the version of the type that it has.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { eventSecrets } from '../../../domain/secrets/resource-secrets.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import type { OutgoingEvent } from '../../../events/protocol.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { recordedSecretsOf } from '../../../store/resources/recorded-secrets.ts';
import type { Observed } from '../observe.ts';

type DeliveredContent = Pick<
  OutgoingEvent,
  | 'config'
  | 'schemaVersion'
  | 'previousConfig'
  | 'previousSchemaVersion'
  | 'outputs'
  | 'outputsSchemaVersion'
  | 'secrets'
>;

export function deliveredContent(event: ClaimedEvent, observed: Observed): DeliveredContent {
  const { status } = observed.resource;
  const secrets = eventSecrets(recordedSecretsOf(observed.resource), observed.received);
  // The config and outputs of an object that is gone are kept until another one exists: a deletion may need them.
  if (event.type === 'CREATE') {
    return { ...wantedContent(event, observed), ...nothingBefore, secrets };
  }
  const previous = applied(observed);
  return {
    ...wantedContent(event, observed),
    previousConfig: previous?.config ?? null,
    previousSchemaVersion: previous?.schemaVersion ?? null,
    outputs: (status?.outputs as JsonObject | undefined) ?? {},
    outputsSchemaVersion: status?.outputsTypeVersion ?? firstTypeVersion,
    secrets,
  };
}

const nothingBefore = {
  previousConfig: null,
  previousSchemaVersion: null,
  outputs: {},
  outputsSchemaVersion: firstTypeVersion,
} as const;

type VersionedConfig = Pick<OutgoingEvent, 'config' | 'schemaVersion'>;

function applied({ resource: { status } }: Observed): VersionedConfig | undefined {
  if (status?.appliedConfig === undefined) return undefined;
  const { appliedConfig, appliedTypeVersion: schemaVersion = firstTypeVersion } = status;
  return { config: appliedConfig as JsonObject, schemaVersion };
}

/**
 * A deletion does not resolve references again: their targets may be gone, and the object was made from the old values. Nor does it
 * name another object: that of a replacement is the old one, and a change of an immutable field was never made.
 */
function wantedContent(event: ClaimedEvent, observed: Observed): VersionedConfig {
  const { type, typeVersion, replacement } = event;
  const { resource, resolution, changedImmutables } = observed;
  const schemaVersion = typeVersion ?? firstTypeVersion;
  const refers = resolution.hash !== undefined || resolution.unresolved.length > 0;
  const isOther = replacement !== undefined || changedImmutables.length > 0;
  if (type !== 'DELETE' || !(refers || isOther))
    return { config: resolution.config, schemaVersion };
  return applied(observed) ?? { config: resource.spec.config as JsonObject, schemaVersion };
}
