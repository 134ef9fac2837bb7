// The words of clients for drift, for an observation and for the values that differ. Pure.
import type { ResourceRecord } from '../../api/shapes.ts';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';
import { figure } from '../../lib/text.ts';
import type { Drift } from '../drift.ts';

export type RecordedObservation = NonNullable<ResourceRecord['observation']>;

/** @returns such as `2 of 14 compared values differ`, without a full stop */
export function driftText({ kind, total, compared }: Omit<Drift, 'changes' | 'since'>): string {
  if (kind === 'gone') return 'The object does not exist any more';
  const differ = total === 1 ? 'differs' : 'differ';
  return `${figure(total)} of ${figure(compared)} compared values ${differ}`;
}

/** @param reason of the resource */
export function driftSentence(drift: Drift, reason?: string | null): string {
  const isLoop = drift.kind === 'changed' && reason === 'CorrectionLoop';
  return joinedSentences(`${driftText(drift)}.`, unreadSentence(drift), isLoop ? loop : '');
}

const loop =
  'Nothing is corrected any more: it differed again after three corrections, so somebody else changes it, too.';

/** @returns which of the declared values nothing is known about; empty for none */
export function unreadSentence({ unknown }: Pick<Drift, 'unknown'>): string {
  return unknown === 0 ? '' : `The provider did not read ${figure(unknown)} more.`;
}

/** @returns that there are more differences than recorded ones; empty otherwise */
export function unrecordedSentence({ kind, changes, total }: Drift): string {
  if (kind === 'gone' || total <= changes.length) return '';
  return `These are the first ${figure(changes.length)} of ${figure(total)}.`;
}

/** @returns what an observation has found, for one that has found something */
export function foundSentence(
  { exists, compared, unknown }: Omit<RecordedObservation, 'at' | 'error'>,
  drift: Drift | null,
  reason?: string | null,
): string {
  if (exists === false) return 'Gone: the object does not exist.';
  if (drift !== null) return driftSentence(drift, reason);
  const values = compared === 1 ? 'value was' : 'values were';
  const same =
    compared === 0 ? 'The object exists.' : `In sync: ${figure(compared)} ${values} compared.`;
  return joinedSentences(same, unreadSentence({ unknown }));
}

function joinedSentences(...sentences: readonly string[]): string {
  return sentences.filter((each) => each !== '').join(' ');
}

/** Returns whether the same differs, although it was observed at other times. */
export function isSameDrift(left: Drift | null, right: Drift | null): boolean {
  const [before, after] = [left, right].map((drift) =>
    canonicalJson((drift && { ...drift, since: null }) as unknown as JsonValue),
  );
  return before === after;
}

export interface DriftRow {
  /** JSON Pointer of the value in the config, as `observe.ignore` has it. */
  readonly path: string;
  /** Undefined when it is not recorded: it contains a secret, or is too long. */
  readonly declared: JsonValue | undefined;
  readonly actual: JsonValue | undefined;
}

/** Instead of a value that is not recorded. */
export const notShown = '(not shown)';

/** @returns the values that differ; fewer than `total` when there are too many to record */
export function driftRows({ changes }: Pick<Drift, 'changes'>): readonly DriftRow[] {
  return changes.map(({ path, declared, actual, omitted }) =>
    omitted === true
      ? { path, declared: undefined, actual: undefined }
      : { path, declared: declared as JsonValue, actual: actual as JsonValue },
  );
}
