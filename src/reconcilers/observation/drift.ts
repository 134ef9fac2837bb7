// Compares an observation with the config, and records the differences without secrets.
import type { Resource, ResourceStatus } from '../../crds/resource.ts';
import { maskCredentials } from '../../credentials/mask.ts';
import {
  compare,
  type FoundChange,
  type ValueComparison,
} from '../../domain/observation/compare.ts';
import { maxChanges, maxChangesBytes, maxValueBytes } from '../../domain/observation/drift.ts';
import { withDefaults } from '../../domain/schemas/declared.ts';
import { createSecretMask, type SecretMask } from '../../domain/secrets/mask-text.ts';
import { appliedSecretPlaces, secretTexts } from '../../domain/secrets/resource-secrets.ts';
import { typeSchemas } from '../../domain/secrets/type-schemas.ts';
import {
  firstTypeVersion,
  schemaForVersion,
  type TypeWithSchemas,
} from '../../domain/type-version.ts';
import type { Observation } from '../../events/protocol.ts';
import { createBudget } from '../../lib/budget.ts';
import { type JsonObject, jsonBytes, pointer, pointerNames } from '../../lib/json.ts';
import { beginSlice, betweenSteps, ownTurn } from '../../lib/turns.ts';
import type { TypeContent } from '../../store/providers/type-content.ts';
import { recordedSecretsOf } from '../../store/resources/recorded-secrets.ts';

export type RecordedDrift = NonNullable<ResourceStatus['drift']>;
export type ExistsAnswer = Extract<Observation, { exists: true }>;

/** The config that was sent with the OBSERVE. */
export interface SentContent {
  readonly resource: Resource;
  readonly type: TypeContent | undefined;
  readonly config: JsonObject;
  readonly schemaVersion: number;
}

/** @returns the comparison; of configs in two versions of a type nothing is compared */
export function comparisonOf(
  { resource, type, config, schemaVersion }: SentContent,
  found: ExistsAnswer,
): ValueComparison {
  const version = found.schemaVersion ?? schemaVersion;
  const isOther = version !== schemaVersion && found.declared === undefined;
  const { schema } = schemaForVersion((type ?? {}) as TypeWithSchemas, version);
  const given = found.declared ?? config;
  const declared = type?.compareDefaults === true ? withDefaults({ config: given, schema }) : given;
  const actual = isOther ? {} : found.config;
  const schemas = type && typeSchemas(type);
  const recorded = recordedSecretsOf(resource);
  const budget = createBudget();
  const places = (value: JsonObject) => appliedSecretPlaces(recorded, schemas, value, budget);
  const compared = {
    declared,
    actual,
    schema,
    secrets: [...places(declared), ...places(actual)],
    ignore: resource.spec.observe?.ignore ?? [],
  };
  return compare(compared, budget);
}

interface DriftMoment {
  /** The release of the corrections of the provider, if there is one. */
  readonly released: string | undefined;
  readonly now: Date;
}

interface Recording extends DriftMoment {
  readonly sent: SentContent;
  readonly found: ExistsAnswer;
}

/** @returns what the status records of a comparison; undefined when nothing differs */
export async function changedDrift(
  { changes, compared, unknown }: ValueComparison,
  { sent, found, ...moment }: Recording,
): Promise<RecordedDrift | undefined> {
  if (changes.length === 0) return undefined;
  const secrets = driftSecrets(sent, found);
  await betweenSteps();
  const sorted = [...changes].sort((one, other) => (one.path < other.path ? -1 : 1));
  const recorded: RecordedDrift['changes'] = [];
  let bytes = 0;
  let isOver = beginSlice();
  for (const change of sorted.slice(0, maxChanges)) {
    const next = await recordedChange(change, secrets);
    if (isOver()) {
      await ownTurn();
      isOver = beginSlice();
    }
    bytes += jsonBytes(next);
    if (bytes > maxChangesBytes) break;
    recorded.push(next);
  }
  const turned = turnedOf(sent.resource, 'Changed', moment);
  return { ...turned, changes: recorded, total: changes.length, compared, unknown };
}

export function goneDrift(resource: Resource, moment: DriftMoment): RecordedDrift {
  const turned = turnedOf(resource, 'Gone', moment);
  return { ...turned, changes: [], total: 0, compared: 0, unknown: 0 };
}

/** @returns when it turned, and after which release: those of before, for a difference of the same kind */
function turnedOf(
  { status }: Resource,
  kind: RecordedDrift['kind'],
  { released, now }: DriftMoment,
): Pick<RecordedDrift, 'kind' | 'since' | 'correctionsReleased'> {
  const { drift } = status ?? {};
  const isKnown = drift?.kind === kind;
  const since = isKnown ? drift.since : now.toISOString();
  const after = isKnown ? drift.correctionsReleased : released;
  return { kind, since, ...(after === undefined ? {} : { correctionsReleased: after }) };
}

/** The observed object may contain a secret in another place, as a URL does. */
function driftSecrets(
  { resource, type, config }: SentContent,
  { outputs, config: actual }: ExistsAnswer,
): SecretMask {
  const schemas = type && typeSchemas(type);
  const secrets = recordedSecretsOf(resource);
  return createSecretMask([
    ...secretTexts({ config, outputs, secrets }, schemas),
    ...secretTexts({ config: actual, outputs: {}, secrets }, schemas),
  ]);
}

/** A place may be written by the object: its names can be as long as it likes. */
const maxPathLength = 1_024;

async function recordedChange(
  { path, declared, actual, isSecret }: FoundChange,
  secrets: SecretMask,
): Promise<RecordedDrift['changes'][number]> {
  const at = (await shownPath(path, secrets)).slice(0, maxPathLength);
  const texts = [JSON.stringify(declared), JSON.stringify(actual)] as const;
  const isHidden =
    isSecret ||
    at !== path ||
    texts.some((text) => Buffer.byteLength(text) > maxValueBytes || secrets.isIn(text)) ||
    (await hasCredential(texts.join('\n')));
  return isHidden ? { path: at } : { path: at, declared: texts[0], actual: texts[1] };
}

/** Names may be the provider's: it may answer with the declared config in another version. */
function shownPath(path: string, secrets: SecretMask): Promise<string> {
  const names = pointerNames(path).map((name) => secrets.text(name));
  return maskCredentials(names.reduce(pointer, ''));
}

async function hasCredential(text: string): Promise<boolean> {
  return (await maskCredentials(text)) !== text;
}

/** Returns whether two records say the same, whenever they were written. */
export function isSameDrift(
  one: RecordedDrift | undefined,
  other: RecordedDrift | undefined,
): boolean {
  return JSON.stringify(withoutTime(one)) === JSON.stringify(withoutTime(other));
}

function withoutTime(drift: RecordedDrift | undefined) {
  if (drift === undefined) return null;
  const { kind, changes, total, compared, unknown } = drift;
  const values = changes.map(({ path, declared, actual }) => [path, declared, actual]);
  return [kind, values, total, compared, unknown];
}

/** @returns the version of the type that the config of the last success has */
export function appliedVersion({ status }: Resource): number {
  return status?.appliedTypeVersion ?? firstTypeVersion;
}
