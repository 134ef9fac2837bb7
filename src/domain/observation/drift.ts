// Drift: the difference between what a resource declares and what its provider observed. Pure.
import type { JsonValue } from '../../lib/json.ts';

export const driftKinds = ['changed', 'gone'] as const;
export type DriftKind = (typeof driftKinds)[number];

/** One declared value that differs from the observed one. */
export interface DriftChange {
  /** JSON Pointer of the value in the config. */
  readonly path: string;
  /** Null when `omitted`. */
  readonly declared: JsonValue;
  readonly actual: JsonValue;
  /** True when the values are not recorded: they contain a secret, or are too long. */
  readonly omitted: boolean;
}

export interface Drift {
  /** When it was first observed, as ISO 8601 UTC. */
  readonly since: string;
  readonly kind: DriftKind;
  /** At most `maxChanges`, in the order of their paths; none when the object is gone. */
  readonly changes: readonly DriftChange[];
  /** How many values differ. */
  readonly total: number;
  /** How many declared values were compared. */
  readonly compared: number;
  /** How many declared values the provider left out. */
  readonly unknown: number;
}

export const maxChanges = 50;
/** Bytes of all recorded changes of a resource, as JSON. */
export const maxChangesBytes = 16 * 1_024;
/** Bytes of one recorded value, as JSON. */
export const maxValueBytes = 1_024;

/** The last observation that somebody requested. */
export interface RequestedObservation {
  /** When it ended, as ISO 8601 UTC. */
  readonly at: string;
  /** Undefined when nothing was observed. */
  readonly exists: boolean | undefined;
  readonly compared: number;
  readonly unknown: number;
  /** Why nothing was observed; null when something was. */
  readonly error: string | null;
}
