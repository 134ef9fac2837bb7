import type { DriftRecord } from '../../../../client/drift-look.ts';
import { driftRows } from '../../../../client/drift-look.ts';
import type { JsonValue } from '../../../../lib/json.ts';
import { numberText } from '../../../text.ts';
import { Value } from '../change-list.tsx';
import { text } from './text.ts';

/** The values that differ; nothing when the object is gone. */
export function DriftTable({ drift }: { readonly drift: DriftRecord }) {
  const rows = driftRows(drift);
  if (rows.length === 0) return null;
  const counts = { count: numberText(rows.length), total: numberText(drift.total) };
  return (
    <>
      <table class="drift-values">
        <thead>
          <tr>
            <th scope="col">{text('resource.drift.path')}</th>
            <th scope="col">{text('resource.drift.declared')}</th>
            <th scope="col">{text('resource.drift.actual')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, declared, actual }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <Shown value={declared} />
              </td>
              <td>
                <Shown value={actual} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {drift.total > rows.length && <p class="quiet">{text('resource.drift.first', counts)}</p>}
    </>
  );
}

function Shown({ value }: { readonly value: JsonValue | undefined }) {
  if (value === undefined) return <span class="quiet">{text('resource.drift.not-shown')}</span>;
  return <Value value={value} />;
}
