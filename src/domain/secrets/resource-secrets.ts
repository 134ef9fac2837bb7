// Finds the secrets of a resource: one answer over its config, the config that its provider applied last, its outputs, and what identifies
// the object that it imports, with the marks of the schemas of now and those that were recorded when each of them was stored. Every part of
// the program that shows or stores a part of a resource elsewhere uses it.
import { createBudget } from '../../lib/budget.ts';
import {
  ended,
  isJsonArray,
  type JsonObject,
  type JsonValue,
  mapItems,
  mapMembers,
  pointer,
} from '../../lib/json.ts';
import { type Marks, mayHide, secretsIn, walk } from './marks.ts';
import { createSecretMask } from './mask-text.ts';
import type { TypeSchemas } from './type-schemas.ts';

interface Contents {
  readonly config: JsonObject;
  readonly outputs: JsonObject;
}

/** The records of a stored resource about its secrets. */
export interface RecordedSecrets {
  /** The config of the last successful event, with references resolved; undefined before the first. */
  readonly appliedConfig: JsonObject | undefined;
  /** Places that were secret when the present config was declared; undefined when nobody recorded them. */
  readonly declared: readonly string[] | undefined;
  /** Places that were secret when the applied config was; undefined when nobody recorded them. */
  readonly applied: readonly string[] | undefined;
  /** Places of the applied config in which a secret output of another resource was inserted. */
  readonly received?: readonly string[] | undefined;
  /** Places that were secret in the outputs when the provider returned them. */
  readonly returned?: readonly string[] | undefined;
  /** Identifies the object to import; undefined when none is. */
  readonly adopt?: JsonObject | undefined;
  /** Places that were secret in it when it was declared; undefined when nobody recorded them. */
  readonly adopted?: readonly string[] | undefined;
}

/** The secret outputs of other resources that references insert into a config. */
export interface ReceivedSecrets {
  /** JSON Pointers in the config with its references resolved. */
  readonly places: readonly string[];
  /** To search for: a provider may show a part of the text into which an output was inserted. */
  readonly texts: readonly string[];
}

/** Values that somebody writes, or a provider shows. */
export interface Unstored extends Contents {
  readonly adopt?: JsonObject | undefined;
}

/** For a content that is not stored: another schema never applied to it. */
export const nothingRecorded: RecordedSecrets = {
  appliedConfig: undefined,
  declared: [],
  applied: [],
  adopted: [],
};

/** A resource as it is stored. */
export interface StoredContents extends Contents {
  readonly secrets: RecordedSecrets;
}

export interface HiddenContents extends Contents {
  readonly adopt: JsonObject | undefined;
  /** JSON Pointers (RFC 6901) of what was hidden. */
  readonly masked: readonly string[];
}

interface MarksOfResource {
  readonly config: Marks;
  readonly applied: Marks;
  readonly outputs: Marks;
  readonly adopt: Marks;
}

/**
 * A place that was secret in one of the configs is secret in all parts. An inserted output is not: the declared config has
 * its reference there.
 */
export function marksOfResource(
  {
    declared,
    applied,
    received = [],
    returned = [],
    adopted,
  }: Omit<RecordedSecrets, 'appliedConfig'>,
  schemas: TypeSchemas | undefined,
): MarksOfResource {
  const places = [...new Set([...(declared ?? []), ...(applied ?? [])])];
  const ofConfig = schemas?.config;
  const inserted = [...places, ...received];
  return {
    config: { schemas: ofConfig, places, isRecorded: declared !== undefined },
    applied: { schemas: ofConfig, places: inserted, isRecorded: applied !== undefined },
    outputs: {
      schemas: schemas && [...schemas.config, ...schemas.outputs],
      places: [...inserted, ...returned],
      isRecorded: true,
    },
    adopt: {
      schemas: schemas?.adopt,
      places: adopted ?? [],
      isRecorded: adopted !== undefined,
    },
  };
}

/** @returns whether a resource may have secrets that `withoutSecrets` hides, as far as marks and records say */
export function mayHaveSecrets(
  secrets: RecordedSecrets,
  schemas: TypeSchemas | undefined,
): boolean {
  return mayHideAny(marksOfResource(secrets, schemas));
}

/** Secrets of a config are secrets of outputs, too. */
function mayHideAny({ outputs, adopt }: MarksOfResource): boolean {
  return mayHide(outputs) || mayHide(adopt);
}

/** @returns JSON Pointers of everything secret in the applied config, or in another value of its form */
export function appliedSecretPlaces(
  recorded: Omit<RecordedSecrets, 'appliedConfig'>,
  schemas: TypeSchemas | undefined,
  value: JsonObject,
  budget = createBudget(),
): readonly string[] {
  const places: string[] = [];
  const add = (secret: JsonValue, path: string) => {
    places.push(path);
    return secret;
  };
  walk(marksOfResource(recorded, schemas).applied, value, add, budget);
  return places;
}

/** Places of one value; more are recorded as the one that stands for all. */
export const maxRecorded = 50;
const maxRecordedCharacters = 4_096;

/** @returns the places to record for a config or outputs that are stored now; undefined while their schemas are unknown */
export function placesToRecord(value: JsonObject, marks: Marks): readonly string[] | undefined {
  if (marks.schemas === undefined) return undefined;
  const places: string[] = [];
  walk(marks, value, (secret, path) => {
    places.push(path);
    return secret;
  });
  return boundedPlaces(places);
}

/** @returns the places as a resource can record them: the one that stands for all, when they are too many */
export function boundedPlaces(places: readonly string[]): readonly string[] {
  const isLong = places.length > maxRecorded || places.join('').length > maxRecordedCharacters;
  return isLong ? [''] : places;
}

/**
 * @param received by the config, whose references are resolved then
 * @returns the secrets of both configs, of the outputs and of `adopt`, as texts to search for
 */
export function secretTexts(
  { config, outputs, secrets }: StoredContents,
  schemas: TypeSchemas | undefined,
  received: ReceivedSecrets = { places: [], texts: [] },
  budget = createBudget(),
): readonly string[] {
  const marks = marksOfResource(secrets, schemas);
  const within = (of: Marks, value: JsonObject) =>
    secretsIn({ ...of, places: [...of.places, ...received.places] }, value, budget);
  return [
    ...new Set([
      ...within(marks.config, config),
      ...within(marks.applied, secrets.appliedConfig ?? {}),
      ...secretsIn(marks.outputs, outputs, budget),
      ...secretsIn(marks.adopt, secrets.adopt ?? {}, budget),
      ...received.texts,
    ]),
  ];
}

const noSchemas = { config: [], outputs: [], adopt: [] };

/**
 * Where an event has secrets, as far as it is recorded: its provider hides them in what it prints.
 * @param received by the config of the event, whose references are resolved then
 * @returns JSON Pointers in the body of the event. Values that only the schemas of the type mark may be missing: the provider has them
 */
export function eventSecrets(
  recorded: RecordedSecrets,
  received: Pick<ReceivedSecrets, 'places'> = { places: [] },
): readonly string[] {
  const { config, applied, outputs, adopt } = marksOfResource(recorded, noSchemas);
  const paths = [
    // A deletion has the applied config in the place of the other one.
    ...[...config.places, ...applied.places, ...received.places].map((path) => `/config${path}`),
    ...applied.places.map((path) => `/previous_config${path}`),
    ...outputs.places.map((path) => `/outputs${path}`),
    ...adopt.places.map((path) => `/adopt${path}`),
  ];
  return [...new Set(paths)];
}

/** Names of members are repeated in paths, so many paths could be longer than the record. */
const maxPaths = 200;
const maxPathCharacters = 32_768;

/**
 * Hides secrets from people who may only view a record: null in their place. Outputs are hidden where their schema marks them,
 * where they have the place of a secret, and where a text or number contains a secret of the resource.
 * The outputs of an unknown config may contain any secret, so their texts are hidden.
 * @param schemas of the type; undefined when it is unknown, and then every value is hidden
 * @param budget of everything that a request shows; when it is spent, what is left is hidden
 */
export function withoutSecrets(
  { config, outputs, secrets }: StoredContents,
  schemas: TypeSchemas | undefined,
  budget = createBudget(),
): HiddenContents {
  const marks = marksOfResource(secrets, schemas);
  const { adopt } = secrets;
  if (!mayHideAny(marks)) return { config, outputs, adopt, masked: [] };
  const ofConfig = hidden('/config', (replace) =>
    walk(marks.config, config, (_secret, path) => replace(path), budget),
  );
  const ofOutputs = hidden('/outputs', (replace) => {
    if (Object.keys(outputs).length === 0) return outputs;
    const shown = walk(marks.outputs, outputs, (_secret, path) => replace(path), budget);
    if (shown === ended) return ended;
    if (secrets.appliedConfig === undefined && mayHide(marks.applied)) {
      return withoutTexts(shown, { isHidden: (value) => typeof value === 'string', replace });
    }
    const texts = secretTexts({ config, outputs, secrets }, schemas, undefined, budget);
    if (texts.length === 0) return shown;
    const mask = createSecretMask(texts);
    return withoutTexts(shown, { isHidden: (value) => mask.isIn(`${value}`), replace });
  });
  const ofAdopt =
    adopt &&
    hidden('/adopt', (replace) =>
      walk(marks.adopt, adopt, (_secret, path) => replace(path), budget),
    );
  return {
    config: ofConfig.value,
    outputs: ofOutputs.value,
    adopt: ofAdopt?.value,
    masked: [...ofConfig.paths, ...ofOutputs.paths, ...(ofAdopt?.paths ?? [])],
  };
}

/** @returns what `withoutSecrets` returns for a content that is not stored, such as one that somebody writes */
export function withoutMarked(
  { adopt, ...contents }: Unstored,
  schemas: TypeSchemas | undefined,
  budget = createBudget(),
): HiddenContents {
  // The secrets of the config itself are looked for in any case.
  const secrets = { ...nothingRecorded, appliedConfig: {}, adopt };
  return withoutSecrets({ ...contents, secrets }, schemas, budget);
}

function hidden(
  root: string,
  hide: (replace: (path: string) => null | typeof ended) => JsonValue | typeof ended,
): { readonly value: JsonObject; readonly paths: readonly string[] } {
  const paths: string[] = [];
  let characters = 0;
  const isLong = () => paths.length > maxPaths || characters > maxPathCharacters;
  const value = hide((path) => {
    characters += path.length;
    paths.push(`${root}${path}`);
    return isLong() ? ended : null;
  });
  return isLong() ? { value: {}, paths: [root] } : { value: value as JsonObject, paths };
}

interface Search {
  readonly isHidden: (value: string | number) => boolean;
  readonly replace: (path: string) => null | typeof ended;
}

function withoutTexts(value: JsonValue, search: Search, path = ''): JsonValue | typeof ended {
  const isText = typeof value === 'string' || typeof value === 'number';
  if (isText) return search.isHidden(value) ? search.replace(path) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) {
    return mapItems(value, (item, index) => withoutTexts(item, search, pointer(path, `${index}`)));
  }
  return mapMembers(value as JsonObject, (member, name) =>
    withoutTexts(member, search, pointer(path, name)),
  );
}
