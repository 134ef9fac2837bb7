import type { Drift } from '../../../../client/drift.ts';
import { driftRows, notShown, unrecordedSentence } from '../../../../client/words/drift-text.ts';
import type { JsonValue } from '../../../../lib/json.ts';
import { Value } from '../history/change-list.tsx';
import { text } from './text.ts';

/** The values that differ; nothing when the object is gone. */
export function DriftTable({ drift }: { readonly drift: Drift }) {
  const rows = driftRows(drift);
  if (rows.length === 0) return null;
  const more = unrecordedSentence(drift);
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
      {more !== '' && <p class="quiet">{more}</p>}
    </>
  );
}

function Shown({ value }: { readonly value: JsonValue | undefined }) {
  if (value === undefined) return <span class="quiet">{notShown}</span>;
  return <Value value={value} />;
}
