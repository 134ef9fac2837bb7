// Shows drift below a resource: a row for each value that differs, then what was compared.
import { changeValues, comparedText, type Drift } from '../../client/drift.ts';
import { aligned } from '../render/table.ts';

/** @returns such as `  /size  declared 20  actual 50`, and `  compared 7, unknown 1` */
export function driftLines(drift: Drift, width?: number): readonly string[] {
  const { changes, total } = drift;
  const rows = changes.map((change) => {
    const { declared, actual } = changeValues(change);
    return [`  ${change.path}`, `declared ${declared}`, `actual ${actual}`];
  });
  const more = total - changes.length;
  return [
    ...aligned(rows, width),
    ...(more > 0 && drift.kind === 'changed' ? [`  and ${more} more, which are not kept`] : []),
    `  ${comparedText(drift)}`,
  ];
}
