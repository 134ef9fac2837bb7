// The content of a revision as a history stores it: without secrets. ConfigMaps are readable for more people than Resources.
import type { ResourceSpec } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import type { ResourceOptions } from '../../../domain/resource-options.ts';
import {
  nothingRecorded,
  type RecordedSecrets,
  withoutSecrets,
} from '../../../domain/secrets/resource-secrets.ts';
import type { TypeSchemas } from '../../../domain/secrets/type-schemas.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import { canonicalHash } from '../../../lib/canonical-hash.ts';
import { atPointer, canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { hasDefaultOptions, optionsOf } from '../options.ts';
import type { Mark } from './mark.ts';

export interface RevisionContent {
  readonly lifecycle: 'Draft' | 'Committed';
  readonly config: JsonObject;
  /** Version of the type that the config has; null when that is not known, 1 when absent. */
  readonly typeVersion?: number | null | undefined;
  readonly dependencies: readonly string[];
  /** Identifies an object to import; absent when none is. */
  readonly adopt?: JsonObject | undefined;
  /** Absent when all are the defaults. */
  readonly options?: ResourceOptions | undefined;
  /** JSON Pointers of the values that are null because they are secret. */
  readonly masked: readonly string[];
}

export interface StoredEntry extends Mark {
  readonly hash: string;
  /** Undefined when it was dropped for lack of room. */
  readonly content?: RevisionContent | undefined;
}

/** The schemas of the type; undefined when it is unknown, and then every value is a secret. */
type ContentSchemas = TypeSchemas | undefined;

/** A content, and what decides which of its values are secret. */
export interface Judged {
  readonly spec: ResourceSpec;
  readonly schemas: ContentSchemas;
  readonly secrets: RecordedSecrets;
  /** Version of the type that the config has. */
  readonly typeVersion?: number | undefined;
}

/** Without the places of secrets: the content names them itself. */
export function historyEntry(
  { places: _, adopted: _adopted, ...mark }: Mark,
  judged: Judged,
): StoredEntry {
  const content = revisionContent(judged);
  return { ...mark, hash: revisionHash(content), content };
}

function revisionContent({ spec, schemas, secrets, typeVersion }: Judged): RevisionContent {
  const whole = { ...secrets, adopt: spec.adopt as JsonObject | undefined };
  const declared = { config: spec.config as JsonObject, outputs: {}, secrets: whole };
  const { config, adopt, masked } = withoutSecrets(declared, schemas);
  const dependencies = (spec.dependencies ?? []).map(slashed);
  const version = typeVersion === firstTypeVersion ? {} : { typeVersion: typeVersion ?? null };
  const options = hasDefaultOptions(spec) ? {} : { options: optionsOf(spec) };
  const imported = adopt === undefined ? {} : { adopt };
  const { lifecycle } = spec;
  return { lifecycle, config, ...version, dependencies, ...imported, ...options, masked };
}

/** Masks what the schema of today marks: the one at the time of the apply may have marked less. */
export function maskedAgain(entry: StoredEntry, schemas: ContentSchemas): StoredEntry {
  const { content } = entry;
  if (content === undefined) return entry;
  const secrets = { ...nothingRecorded, adopt: content.adopt };
  const stored = { config: content.config, outputs: {}, secrets };
  const { config, adopt, masked } = withoutSecrets(stored, schemas);
  const all = [...new Set([...content.masked, ...masked])];
  const again = { ...content, config, ...(adopt === undefined ? {} : { adopt }), masked: all };
  return { ...entry, content: again, hash: revisionHash(again) };
}

/** Excludes secrets: those who may not see a short one could find it by its hash. */
function revisionHash({
  lifecycle,
  config,
  typeVersion,
  dependencies,
  adopt,
}: RevisionContent): string {
  const imported = adopt === undefined ? [] : [{ adopt }];
  const later = typeVersion === undefined ? imported : [typeVersion, ...imported];
  return canonicalHash([lifecycle, config, dependencies, ...later]);
}

const maxSecrets = 50;
const maxSecretCharacters = 4_096;

/** @returns the paths of the secrets of either spec that both have, with different values; undefined for too many to list */
export function changedSecrets(before: Judged, after: Judged): readonly string[] | undefined {
  const secrets = new Set([...revisionContent(before).masked, ...revisionContent(after).masked]);
  const changed = [...secrets].filter((path) => {
    const [one, other] = [before, after].map(({ spec }) => atPointer(root(spec), path));
    if (one === undefined || other === undefined) return false;
    return canonicalJson(one) !== canonicalJson(other);
  });
  const isLong = changed.length > maxSecrets || changed.join('').length > maxSecretCharacters;
  return isLong ? undefined : changed;
}

function root({ config, adopt = {} }: ResourceSpec): JsonObject {
  return { config: config as JsonObject, adopt: adopt as JsonObject };
}
