// What people see of drift: a word beside the state, a sentence, and a row for each value. Pure. An older server sends none.
import type { ResourceRecord } from '../api/shapes.ts';
import { counted } from './time.ts';

export type Drift = NonNullable<ResourceRecord['drift']>;
export type DriftChange = Drift['changes'][number];

export type Drifting = Pick<ResourceRecord, 'reason'> & { readonly drift?: Drift | null };

/** @returns such as `drifted`; undefined for what is as its config declares, as far as that is known */
export function driftWord({ drift, reason }: Drifting): string | undefined {
  if (drift == null) return undefined;
  if (drift.kind === 'gone') return 'gone';
  return reason === 'CorrectionLoop' ? 'correction loop' : 'drifted';
}

/** @returns such as `2 values differ`, without a full stop */
export function driftText({ kind, total }: Pick<Drift, 'kind' | 'total'>): string {
  if (kind === 'gone') return 'The object does not exist any more';
  return counted(total, 'value differs', 'values differ');
}

/** @returns such as `compared 7, unknown 1` */
export function comparedText({ compared, unknown }: Pick<Drift, 'compared' | 'unknown'>): string {
  return `compared ${compared}, unknown ${unknown}`;
}

export const notShown = '(not shown)';

/** @returns both values as JSON; neither where one has a secret, or is too long to be kept */
export function changeValues({ declared, actual, omitted }: DriftChange): {
  readonly declared: string;
  readonly actual: string;
} {
  if (omitted === true) return { declared: notShown, actual: notShown };
  return { declared: JSON.stringify(declared), actual: JSON.stringify(actual) };
}
