// Since when a resource is paused, and by whom: an annotation, as no field of the spec could say it of a change with kubectl.
import type { Resource } from '../../crds/resource.ts';
import { type Actor, shownName, storedName } from '../../domain/actor.ts';
import { jsonIn } from '../../lib/json.ts';
import { annotation } from '../kinds.ts';

/** @returns the annotation of a resource that an apply pauses; null removes that of one that is not paused */
export function pauseMark(
  existing: Resource | undefined,
  { spec, now, by }: { spec: Resource['spec']; now: Date; by: Actor | undefined },
): Record<string, string | null> {
  if (spec.paused !== true) return { [annotation.paused]: null };
  if (existing?.spec.paused === true) return {};
  const mark = { since: now.toISOString(), by: by?.subject, name: by && storedName(by) };
  return { [annotation.paused]: JSON.stringify(mark) };
}

/** @returns a sentence with what is known: of a pause with kubectl, only that it is one */
export function pausedInWords({ metadata }: Pick<Resource, 'metadata'>): string {
  const { since, by, name } = markIn(metadata.annotations?.[annotation.paused]);
  if (since === undefined) return 'Paused: spec.paused is true';
  const who = by === undefined ? '' : ` by ${shownName(by, name) ?? by}`;
  return `Paused since ${since}${who}`;
}

interface Mark {
  readonly since?: string | undefined;
  readonly by?: string | undefined;
  readonly name?: string | undefined;
}

/** Users of the namespace may write annotations. */
function markIn(text: string | undefined): Mark {
  const value: unknown = jsonIn(text ?? '');
  if (typeof value !== 'object' || value === null) return {};
  const { since, by, name } = value as Record<string, unknown>;
  if (typeof since !== 'string' || Number.isNaN(Date.parse(since))) return {};
  return {
    since: new Date(since).toISOString(),
    by: typeof by === 'string' ? by.slice(0, 256) : undefined,
    name: typeof name === 'string' ? name : undefined,
  };
}
