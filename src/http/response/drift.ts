// Maps the drift of a record to its response. It is stored without the secrets of then; what has been marked since is left out for those
// who do not see secrets.
import type { Drift as DriftBody } from '../../api/schemas/observation.ts';
import type { Drift } from '../../domain/observation/drift.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointerNames,
} from '../../lib/json.ts';
import type { ResourceRecord } from '../../store/records.ts';
import type { Masking } from './caller-view.ts';

type DriftResponse = ReturnType<typeof DriftBody.parse>;

export function presentDrift(
  record: ResourceRecord,
  masking: Masking | undefined,
): DriftResponse | null {
  const { drift } = record;
  if (drift === null) return null;
  const isHidden = masking === undefined ? () => false : hiddenIn(record, drift, masking);
  const changes = drift.changes.map(({ path, declared, actual, omitted }) =>
    omitted || isHidden(path)
      ? { path, declared: null, actual: null, omitted: true as const }
      : { path, declared, actual },
  );
  return { ...drift, changes };
}

/** Both values of a place are hidden when one of them has a secret there, above or below. */
function hiddenIn(record: ResourceRecord, { changes }: Drift, { mask }: Masking) {
  const withSide = (side: 'declared' | 'actual') =>
    changes.reduce<JsonValue>(
      (config, change) => withValue(config, pointerNames(change.path), change[side]),
      record.config,
    );
  const places = [withSide('declared'), withSide('actual')].flatMap(
    (config) => mask({ ...record, config: config as JsonObject }).masked,
  );
  return (path: string) => {
    const at = `/config${path}`;
    return places.some(
      (each) => each === at || at.startsWith(`${each}/`) || each.startsWith(`${at}/`),
    );
  };
}

function withValue(
  whole: JsonValue,
  [name, ...rest]: readonly string[],
  value: JsonValue,
): JsonValue {
  if (name === undefined) return value;
  if (isJsonArray(whole)) {
    return whole.map((item, index) => (`${index}` === name ? withValue(item, rest, value) : item));
  }
  const members = isJsonObject(whole) ? whole : {};
  return { ...members, [name]: withValue(ownMember(members, name) ?? {}, rest, value) };
}
