// Shows resources as rows: the name, the state, the age, and the whole reason when a resource is not ready.
import type { ResourceRecord } from '../../api/shapes.ts';
import { type Drift, driftWordOf, stateWord } from '../../client/drift.ts';
import { optionMarks } from '../../client/option-marks.ts';
import { projectText } from '../../client/project.ts';
import { declaredOptions } from '../../client/resource-options.ts';
import { counted } from '../../client/time.ts';
import { driftText } from '../../client/words/drift-text.ts';
import { codesText, type ReasonParts, reasonParts } from '../../client/words/reason-text.ts';
import { shownMessage } from '../../client/words/shown-message.ts';
import { slashed } from '../../domain/identity.ts';
import type { View } from '../terminal/output.ts';
import { type Style, stateText } from '../terminal/style.ts';
import { timeColumn } from '../terminal/table.ts';

const driftColumns: View<ResourceRecord>['columns'] = [
  { title: 'DRIFT', cell: ({ drift }) => (drift == null ? '' : driftFigure(drift)) },
  timeColumn('SINCE', ({ drift }) => drift?.since),
];

export const resourceView: View<ResourceRecord> = {
  columns: [
    { title: 'RESOURCE', cell: (record) => slashed(record) },
    { title: 'STATE', cell: (record, { style }) => stateText(stateWord(record), style) },
    timeColumn('AGE', ({ created_at }) => created_at),
    { title: 'PROJECT', wide: true, cell: projectText },
    { title: 'SET', wide: true, cell: ({ set }) => set ?? '' },
    { title: 'VERSION', wide: true, cell: ({ provider_version }) => provider_version ?? '' },
    {
      title: 'APPLIED BY',
      wide: true,
      cell: ({ applied_by, applied_by_name }) => applied_by_name ?? applied_by ?? '',
    },
    { title: 'UPDATED', wide: true, cell: ({ updated_at }) => updated_at },
    { title: 'TAGS', wide: true, cell: ({ tags }) => (tags ?? []).join(',') },
    {
      title: 'OPTIONS',
      sparse: true,
      cell: (record, { now, wide }) => optionMarks(record, now, { exact: wide }).join(', '),
    },
    { title: 'REASON', cell: (record, { style }) => shownReason(record, style) },
  ],
  nameOf: slashed,
  declarationOf: recordDeclaration,
};

function driftFigure({ kind, total }: Drift): string {
  return kind === 'gone' ? 'gone' : counted(total, 'value');
}

/** For `get --drift`. */
export const driftView: View<ResourceRecord> = {
  ...resourceView,
  columns: resourceView.columns.flatMap((column) =>
    column.title === 'AGE' ? driftColumns : [column],
  ),
};

/** @returns the reason and its explanation, empty for what is as it should be */
export function shownReason(record: ResourceRecord, style?: Style): string {
  const { lifecycle_state, reason, drift } = record;
  const isSettled = lifecycle_state === 'draft' || lifecycle_state === 'ready';
  if (isSettled && drift == null) return '';
  if (isSettled) return paintedReason(driftReason(record), style);
  return paintedReason(reasonParts(reason, shownMessage(record)), style);
}

/** The message of an event that succeeded does not mention drift. */
function driftReason({ reason, message, drift }: ResourceRecord): ReasonParts {
  const text = drift == null ? '' : driftText(drift);
  if (driftWordOf(reason) === undefined) return { sentence: text, codes: [] };
  return reasonParts(reason, message ?? text);
}

/** @returns the sentence, and in grey the codes */
export function paintedReason({ sentence, codes }: ReasonParts, style?: Style): string {
  const behind = codesText(codes);
  return `${sentence}${behind === '' ? '' : (style?.paint('dim', behind) ?? behind)}`;
}

/** @returns the fields that can be applied again */
export function recordDeclaration(record: ResourceRecord): Readonly<Record<string, unknown>> {
  const { tags, dependencies, lifecycle_state, masked = [] } = record;
  return {
    resource: slashed(record),
    config: record.config,
    ...(dependencies.length === 0 ? {} : { dependencies: dependencies.map(slashed) }),
    ...(tags === null || tags.length === 0 ? {} : { tags }),
    project: projectText(record),
    ...(lifecycle_state === 'draft' ? { state: 'draft' } : {}),
    ...(record.adopt == null ? {} : { adopt: record.adopt }),
    ...declaredOptions(record),
    // So that it is not applied without its secrets.
    ...(masked.length === 0 ? {} : { masked: [...masked] }),
  };
}
