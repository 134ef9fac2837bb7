// Differences between versions of a resource, in one form for the history and for what an apply would change. Pure.
import type { HistoryEntry } from '../../../../api/shapes.ts';
import type { Difference } from '../../../../client/differences.ts';
import { dottedPointer, type JsonValue } from '../../../../lib/json.ts';

export interface ShownChange {
  /** Such as `config.owner`. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed' | 'unknown';
  /** Undefined when there is none, or it is not kept. */
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

export function shownDifferences(differences: readonly Difference[]): readonly ShownChange[] {
  return differences.map(({ path, before, after }) => {
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    return { path, kind, before, after };
  });
}

export function changesIn(entry: HistoryEntry): readonly ShownChange[] | null {
  return (
    entry.changes?.map(({ path, change, before, after }) => ({
      path: dottedPointer(path),
      kind: change,
      before: before as JsonValue | undefined,
      after: after as JsonValue | undefined,
    })) ?? null
  );
}
