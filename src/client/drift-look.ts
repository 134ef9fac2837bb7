// What clients show of drift: a word instead of that of the state, whose look is in state-look.ts, a sentence, and the values that
// differ. The state of the API stays `ready`. Pure. A server before 0.2 sends no drift.
import type { ResourceRecord } from '../api/shapes.ts';
import type { JsonValue } from '../lib/json.ts';
import { type ShownState, shownState } from './shown-state.ts';
import type { driftLooks } from './state-look.ts';
import { figure } from './time.ts';

export type DriftWord = keyof typeof driftLooks;

export type DriftRecord = NonNullable<ResourceRecord['drift']>;

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

/**
 * @param reason of the resource
 * @example driftSentence(drift) // 2 of 14 compared values differ from the object.
 */
export function driftSentence(drift: DriftRecord, reason?: string | null): string {
  if (drift.kind === 'gone') return 'The provider says that the object does not exist any more.';
  const { total, compared, unknown } = drift;
  const differ = total === 1 ? 'differs' : 'differ';
  return [
    `${figure(total)} of ${figure(compared)} compared values ${differ} from the object.`,
    ...(unknown === 0 ? [] : [`The provider did not read ${figure(unknown)} more.`]),
    ...(reason === 'CorrectionLoop' ? [loop] : []),
  ].join(' ');
}

const loop =
  'Nothing is corrected any more: it differed again after each of three corrections, so somebody else changes it as well.';

export interface DriftRow {
  /** JSON Pointer of the value in the config, as `observe.ignore` has it. */
  readonly path: string;
  /** Undefined when it is not recorded: it contains a secret, or is too long. */
  readonly declared: JsonValue | undefined;
  readonly actual: JsonValue | undefined;
}

/** Instead of a value that is not recorded. */
export const notShown = 'not shown';

/** @returns the values that differ; fewer than `total` when there are too many to record */
export function driftRows({ changes }: Pick<DriftRecord, 'changes'>): readonly DriftRow[] {
  return changes.map(({ path, declared, actual, omitted }) =>
    omitted === true
      ? { path, declared: undefined, actual: undefined }
      : { path, declared: declared as JsonValue, actual: actual as JsonValue },
  );
}

/** @returns a value in one line, as JSON */
export function driftValueText(value: JsonValue | undefined): string {
  return value === undefined ? notShown : JSON.stringify(value);
}
