// Compares two revisions, by path. Pure.
import {
  defaultOptions,
  resourceOptionFields,
  resourceOptionsIn,
} from '../../../domain/resource-options.ts';
import { sameFields } from '../../../domain/schemas/declared.ts';
import { firstTypeVersion, type TypeWithSchemas } from '../../../domain/type-version.ts';
import { bodyOf } from '../../../lib/fields.ts';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
  pointerNames,
} from '../../../lib/json.ts';
import type { RevisionContent, StoredEntry } from './contents.ts';

export interface Change {
  /** JSON Pointer. */
  readonly path: string;
  /** `unknown`: a secret that may have changed. */
  readonly change: 'added' | 'changed' | 'removed' | 'unknown';
  /** Absent for secrets and long values. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** An entry as it is shown. */
export interface ShownEntry extends StoredEntry {
  /** The paths that were masked when the content was stored. */
  readonly maskedThen: readonly string[];
}

const maxChanges = 100;
const maxPathCharacters = 16_384;
const maxValueCharacters = 1_024;

/**
 * @param type undefined: it is not known, and defaults are changes
 * @returns undefined when the content of one is not kept
 */
export function changesBetween(
  before: ShownEntry,
  after: StoredEntry,
  type?: TypeWithSchemas,
): readonly Change[] | undefined {
  if (before.content === undefined || after.content === undefined) return undefined;
  const secrets = historySecrets(before, after);
  const found: Change[] = [];
  let characters = 0;
  const sides = [contentFields(before.content), contentFields(after.content)] as const;
  const contents = [before.content, after.content] as const;
  const isSame = sameFields(type, contents.map(inItsVersion) as [RevisionContent, RevisionContent]);
  for (const change of changesWithin(sides, '', secrets)) {
    const [field, ...names] = pointerNames(change.path);
    if (field === 'config' && !secrets.at(change.path) && isSame(names)) continue;
    found.push(change);
    characters += change.path.length;
    if (found.length > maxChanges || characters > maxPathCharacters) {
      return [{ path: '/config', change: 'changed' }];
    }
  }
  return found;
}

function inItsVersion(content: RevisionContent): RevisionContent {
  return content.typeVersion === undefined
    ? { ...content, typeVersion: firstTypeVersion }
    : content;
}

function contentFields(content: RevisionContent): JsonObject {
  const { lifecycle, config, dependencies, typeVersion, adopt = null, options } = content;
  const lifecycle_state = lifecycle === 'Draft' ? 'draft' : 'pending';
  const type_version = typeVersion === undefined ? firstTypeVersion : typeVersion;
  const given = resourceOptionsIn(options) ?? defaultOptions;
  return {
    lifecycle_state,
    config,
    type_version,
    dependencies,
    adopt,
    ...bodyOf(resourceOptionFields, given),
  };
}

interface HistorySecrets {
  /** Whether the value at a path is a secret. */
  at(path: string): boolean;
  /** The change of the secrets at a path and below; undefined when none changed. */
  changeOf(path: string): 'changed' | 'unknown' | undefined;
}

function historySecrets(before: ShownEntry, after: StoredEntry): HistorySecrets {
  const masked = new Set([...(before.content?.masked ?? []), ...(after.content?.masked ?? [])]);
  const compared = new Set(before.maskedThen);
  const isWithin = (path: string) => (each: string) => each === path || each.startsWith(`${path}/`);
  return {
    at: (path) => masked.has(path),
    changeOf(path) {
      const here = [...masked].filter(isWithin(path));
      if (here.length === 0) return undefined;
      // The apply compared only what was a secret at its time.
      if (after.secrets === undefined || !here.every((each) => compared.has(each))) {
        return 'unknown';
      }
      return after.secrets.some(isWithin(path)) ? 'changed' : undefined;
    },
  };
}

type Sides = readonly [before: JsonValue | undefined, after: JsonValue | undefined];

function* changesWithin(sides: Sides, path: string, secrets: HistorySecrets): Iterable<Change> {
  const [before, after] = sides;
  if (before === undefined || after === undefined) {
    const change = before === undefined ? 'added' : 'removed';
    yield { path, change, ...(secrets.at(path) ? {} : shownSides(sides)) };
  } else if (!secrets.at(path) && isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* changesWithin(
        [ownMember(before, name), ownMember(after, name)],
        pointer(path, name),
        secrets,
      );
    }
  } else yield* valueChanges([before, after], path, secrets);
}

function* valueChanges(
  [before, after]: readonly [JsonValue, JsonValue],
  path: string,
  secrets: HistorySecrets,
): Iterable<Change> {
  if (!secrets.at(path) && canonicalJson(before) !== canonicalJson(after)) {
    yield { path, change: 'changed', ...shownSides([before, after]) };
    return;
  }
  // Secrets are null on both sides, also in a list, which is compared as a whole.
  const change = secrets.changeOf(path);
  if (change !== undefined) yield { path, change };
}

function shownSides([before, after]: Sides): Pick<Change, 'before' | 'after'> {
  return {
    ...(before !== undefined && isShort(before) ? { before } : {}),
    ...(after !== undefined && isShort(after) ? { after } : {}),
  };
}

function isShort(value: JsonValue): boolean {
  return JSON.stringify(value).length <= maxValueCharacters;
}
