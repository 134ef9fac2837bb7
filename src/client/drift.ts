// The word that clients show of drift instead of that of the state, whose look is in state-look.ts: the state of the API stays
// `ready`. Pure.
import type { ResourceRecord } from '../api/shapes.ts';
import { type ShownState, shownState } from './shown-state.ts';
import type { driftLooks } from './state-look.ts';

export type Drift = NonNullable<ResourceRecord['drift']>;

type DriftWord = keyof typeof driftLooks;

type Drifting = Pick<ResourceRecord, 'lifecycle_state' | 'deletion_requested_at'> &
  Partial<Pick<ResourceRecord, 'reason' | 'drift'>>;

/** The reason of a ready resource whose object differs. */
const words: Readonly<Record<string, DriftWord>> = {
  Drifted: 'drifted',
  CorrectionLoop: 'drifted',
  Gone: 'gone',
};

/** @returns the word for a reason, also that of a cause; undefined for a reason that tells of no drift */
export function driftWordOf(reason: string | null | undefined): DriftWord | undefined {
  return reason && Object.hasOwn(words, reason) ? words[reason] : undefined;
}

/** @returns the word for the drift of a ready resource; undefined when there is none, and in any other state */
export function driftWord(record: Drifting): DriftWord | undefined {
  if (shownState(record) !== 'ready') return undefined;
  const { drift = null, reason } = record;
  if (drift === null) return driftWordOf(reason);
  return drift.kind === 'gone' ? 'gone' : 'drifted';
}

/** @returns the word that people see as the state of a resource: `drifted` and `gone` instead of `ready` */
export function stateWord(record: Drifting): ShownState | DriftWord {
  return driftWord(record) ?? shownState(record);
}
