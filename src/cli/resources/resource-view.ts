// Shows resources as rows: the name, the state, the age, and the whole reason when a resource is not ready.
import type { ResourceRecord } from '../../api/shapes.ts';
import { projectText } from '../../client/project.ts';
import { codesText, type ReasonParts, reasonParts } from '../../client/reason-text.ts';
import { declaredOptions, optionMarks } from '../../client/resource-options.ts';
import { shownMessage } from '../../client/shown-message.ts';
import { shownState } from '../../client/shown-state.ts';
import { since } from '../../client/time.ts';
import { slashed } from '../../domain/identity.ts';
import type { View } from '../render/output.ts';
import { type Style, stateText } from '../render/style.ts';

export const resourceView: View<ResourceRecord> = {
  columns: [
    { title: 'RESOURCE', cell: (record) => slashed(record) },
    { title: 'STATE', cell: (record, { style }) => stateText(shownState(record), style) },
    {
      title: 'AGE',
      cell: ({ created_at }, { now, wide }) => (wide ? created_at : since(created_at, now)),
    },
    { title: 'PROJECT', wide: true, cell: projectText },
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

/** @returns the reason and its explanation, empty for what is as it should be */
export function shownReason(record: ResourceRecord, style?: Style): string {
  const { lifecycle_state, reason } = record;
  if (lifecycle_state === 'ready' || lifecycle_state === 'draft') return '';
  return paintedReason(reasonParts(reason, shownMessage(record)), style);
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
