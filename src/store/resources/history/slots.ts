// The data of the ConfigMap of a history: nine slots, of which a revision takes the one of its number. The tenth revision so
// overwrites the first without a look at it: one merge patch is the whole write, and repeated or concurrent ones agree.
import { resourceOptionsIn } from '../../../domain/resource-options.ts';
import { isTypeVersion } from '../../../domain/type-version.ts';
import { isJsonObject, jsonIn } from '../../../lib/json.ts';
import type { RevisionContent, StoredEntry } from './contents.ts';
import { areTexts, isMark, type Mark } from './mark.ts';

/** Beside the current content. */
export const revisionsKept = 9;

/**
 * A content of N bytes stays only while at most `budget / N` contents of any size are kept: small ones all nine, and large ones
 * until the next. Together they are less than `maxContentBytes + 2 * budget`, whatever their order.
 */
const budget = 65_536;
/** The largest config that HTTP accepts, with dependencies and paths of secrets. kubectl accepts more. */
export const maxContentBytes = 327_680;

type Data = Readonly<Record<string, string | null>>;

/** @returns what a merge patch writes: null removes */
export function dataOf({ content, ...line }: StoredEntry): Data {
  const { revision } = line;
  const text = content && JSON.stringify({ revision, ...content });
  const bytes = text === undefined ? 0 : Buffer.byteLength(text);
  const isKept = text !== undefined && bytes <= maxContentBytes;
  const room = isKept ? Math.min(revisionsKept, Math.max(1, Math.floor(budget / bytes))) : 9;
  const dropped = Array.from({ length: revisionsKept - room }, (_, at) => revision - room - at);
  return {
    ...Object.fromEntries(dropped.map((each) => [slotKey('content', each), null])),
    [slotKey('revision', revision)]: JSON.stringify(line),
    [slotKey('content', revision)]: isKept ? text : null,
  };
}

/** Users of the namespace may write it: only what has the form of an entry counts. */
export function entriesIn(data: Data | undefined): readonly StoredEntry[] {
  return Array.from({ length: revisionsKept }, (_, slot) => slot).flatMap((slot): StoredEntry[] => {
    const line = jsonIn(data?.[slotKey('revision', slot)] ?? '');
    if (!isLine(line)) return [];
    const { revision, at, by, name, secrets, hash } = line;
    const content = jsonIn(data?.[slotKey('content', slot)] ?? '');
    const entry = { revision, at, by, name, secrets, hash };
    return [isContentOf(revision, content) ? { ...entry, content } : entry];
  });
}

function slotKey(what: 'revision' | 'content', revision: number): string {
  // Revisions before the first have slots too, which are empty.
  return `${what}-${(revision + revisionsKept) % revisionsKept}`;
}

function isLine(value: unknown): value is Mark & { readonly hash: string } {
  return isMark(value) && typeof (value as Partial<StoredEntry>).hash === 'string';
}

function isContentOf(revision: number, value: unknown): value is RevisionContent {
  if (typeof value !== 'object' || value === null) return false;
  const { config, dependencies, masked, lifecycle, typeVersion, adopt, options, ...more } =
    value as Partial<RevisionContent>;
  const isLifecycle = lifecycle === 'Draft' || lifecycle === 'Committed';
  const isOfIt = (more as { revision?: unknown }).revision === revision;
  const isVersion = typeVersion == null || isTypeVersion(typeVersion);
  const areOptions = options === undefined || resourceOptionsIn(options) !== undefined;
  return (
    isVersion &&
    areOptions &&
    (adopt === undefined || isJsonObject(adopt)) &&
    isOfIt &&
    isJsonObject(config) &&
    isLifecycle &&
    areTexts(dependencies) &&
    areTexts(masked)
  );
}
