// The mark of the content of a Resource: an annotation with its revision and author. Every apply of other
// content writes it together with the content. A change with kubectl leaves it, and its hash does not match then.
import type { Resource } from '../../../crds/resource.ts';
import { type Actor, storedName } from '../../../domain/actor.ts';
import { jsonIn } from '../../../lib/json.ts';
import { annotation } from '../../kinds.ts';
import { revisionHashOf } from '../options.ts';

export interface Mark {
  /** 1 for the first content, one more for each that follows. */
  readonly revision: number;
  /** Null for a change with kubectl, and for what a release without marks applied. */
  readonly at: string | null;
  readonly by: string | null;
  /** The name of that subject, in the form of `storedName`. */
  readonly name?: string | undefined;
  /** Paths of the secrets with another value than in the revision before; undefined when that is not known. */
  readonly secrets?: readonly string[] | undefined;
  /** Places in the config that the schema marked at the time of the apply; undefined when nobody recorded them. */
  readonly places?: readonly string[] | undefined;
  /** The same in `adopt`; undefined without one. */
  readonly adopted?: readonly string[] | undefined;
}

/** @param secrets those that `spec` changes @param places those that are secret in `spec` @param adopted in its `adopt` */
export function markFor(
  existing: Resource | undefined,
  {
    spec,
    now,
    by,
    secrets,
    places,
    adopted,
  }: {
    spec: Resource['spec'];
    now: Date;
    by: Actor | undefined;
    secrets: readonly string[] | undefined;
    places?: readonly string[] | undefined;
    adopted?: readonly string[] | undefined;
  },
): Record<string, string> {
  const revision = existing === undefined ? 1 : markOf(existing).revision + 1;
  const who = { by: by?.subject ?? null, name: by && storedName(by) };
  const mark: Mark = { revision, at: now.toISOString(), ...who, secrets, places, adopted };
  return { [annotation.revision]: JSON.stringify({ ...mark, hash: revisionHashOf(spec) }) };
}

/** @returns the mark of the present content; one without time and subject when something else than an apply wrote it */
export function markOf({ metadata, spec }: Resource): Mark {
  const stored = storedMark(metadata.annotations?.[annotation.revision]);
  if (stored === undefined) return { revision: 1, at: null, by: null };
  const { hash, ...mark } = stored;
  if (hash === revisionHashOf(spec)) return mark;
  return { revision: mark.revision + 1, at: null, by: null };
}

/** Users of the namespace may write annotations. */
function storedMark(text: string | undefined): (Mark & { readonly hash: unknown }) | undefined {
  const value: unknown = jsonIn(text ?? '');
  return isMark(value) ? (value as Mark & { hash: unknown }) : undefined;
}

const maxRevision = 1e12;

export function isMark(value: unknown): value is Mark {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, at, by, name, secrets, places, adopted } = value as Partial<Mark>;
  const isNumber = Number.isSafeInteger(revision) && Number(revision) >= 1;
  return (
    isNumber &&
    Number(revision) <= maxRevision &&
    isTextOrNull(at) &&
    isTextOrNull(by) &&
    (name === undefined || typeof name === 'string') &&
    (secrets === undefined || areTexts(secrets)) &&
    (places === undefined || areTexts(places)) &&
    (adopted === undefined || areTexts(adopted))
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

export function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
