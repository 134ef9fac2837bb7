// The content of a revision as a history stores it: without secrets. ConfigMaps are readable for more people than Resources.
import type { Resource } from '../../../crds/resource.ts';
import { marksSecrets, withoutSecrets } from '../../../domain/hidden.ts';
import { halfSha256Hex, slashed } from '../../../domain/identity.ts';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../domain/json.ts';
import type { Mark } from './mark.ts';

export interface RevisionContent {
  readonly lifecycle: 'Draft' | 'Committed';
  readonly config: JsonObject;
  readonly dependencies: readonly string[];
  /** JSON Pointers of the values that are null because they are secret. */
  readonly masked: readonly string[];
}

export interface Entry extends Mark {
  readonly hash: string;
  /** Undefined when it was dropped for lack of room. */
  readonly content?: RevisionContent | undefined;
}

type Spec = Resource['spec'];
/** Of the type; undefined when it is unknown, and then every value is a secret. */
type Schema = JsonObject | undefined;

export function entryOf(mark: Mark, spec: Spec, schema: Schema): Entry {
  const content = contentOf(spec, schema);
  return { ...mark, hash: hashOf(content), content };
}

export function contentOf(spec: Spec, schema: Schema): RevisionContent {
  const { config, masked } = maskedConfig(spec.config as JsonObject, schema);
  const dependencies = (spec.dependencies ?? []).map(slashed);
  return { lifecycle: spec.lifecycle, config, dependencies, masked };
}

/** Masks what the schema of today marks: the one at the time of the apply may have marked less. */
export function maskedAgain(entry: Entry, schema: Schema): Entry {
  const { content } = entry;
  if (content === undefined) return entry;
  const { config, masked } = maskedConfig(content.config, schema);
  const all = [...new Set([...content.masked, ...masked])];
  const again = { ...content, config, masked: all };
  return { ...entry, content: again, hash: hashOf(again) };
}

/** Excludes secrets: those who may not see a short one could find it by its hash. */
function hashOf({ lifecycle, config, dependencies }: RevisionContent): string {
  return halfSha256Hex(canonicalJson([lifecycle, config, dependencies]));
}

const maxSecrets = 50;
const maxSecretCharacters = 4_096;

/** @returns the paths of the secrets that both specs have, with different values; undefined for too many to list */
export function changedSecrets(
  before: Spec,
  after: Spec,
  schema: Schema,
): readonly string[] | undefined {
  if (schema !== undefined && !marksSecrets(schema)) return [];
  const earlier = new Set(contentOf(before, schema).masked);
  const changed = contentOf(after, schema).masked.filter(
    (path) => earlier.has(path) && textAt(before, path) !== textAt(after, path),
  );
  const isLong = changed.length > maxSecrets || changed.join('').length > maxSecretCharacters;
  return isLong ? undefined : changed;
}

function maskedConfig(config: JsonObject, schema: Schema) {
  return withoutSecrets({ config, outputs: {} }, schema);
}

function textAt({ config }: Spec, path: string): string {
  const names = path.split('/').slice(1);
  const value = names.reduce<JsonValue | undefined>(memberOf, { config: config as JsonObject });
  return canonicalJson(value);
}

function memberOf(value: JsonValue | undefined, escaped: string): JsonValue | undefined {
  const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(name)];
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
