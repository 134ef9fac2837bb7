import { useSignal } from '@preact/signals';
import type { ResourceDefinition, ResourceRecord } from '../../../../api/shapes.ts';
import { plainText } from '../../../../client/plain-text.ts';
import { atPointer, type JsonValue } from '../../../../lib/json.ts';
import { CopyButton } from '../../../components/copy.tsx';
import { ErrorBox } from '../../../components/error-box.tsx';
import { Value } from '../history/change-list.tsx';
import { hiddenIn, shownOf } from '../secrets.ts';
import { text } from '../text.ts';
import { readVersion } from '../version.ts';
import { type OutputRow, outputRows } from './outputs-rows.ts';

interface OutputsProps {
  readonly record: ResourceRecord;
  readonly type: ResourceDefinition | undefined;
}

export function Outputs({ record, type }: OutputsProps) {
  const shown = shownOf(record, type);
  const hidden = hiddenIn('outputs', shown.hidden);
  const rows = outputRows(shown.outputs, new Set(hidden));
  if (rows.length === 0) return <p class="empty">{text('resource.outputs.none')}</p>;
  return (
    <>
      {shown.isByRole && hidden.length > 0 && <p>{text('resource.outputs.role')}</p>}
      <table class="outputs">
        <thead>
          <tr>
            <th scope="col">{text('resource.outputs.path')}</th>
            <th scope="col">{text('resource.outputs.value')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Output key={row.pointer} row={row} id={record.id} isByRole={shown.isByRole} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Output({ row, id, isByRole }: { row: OutputRow; id: string; isByRole: boolean }) {
  const { path, pointer, value, isHidden } = row;
  return (
    <tr>
      <th scope="row">
        <code>{path}</code>
      </th>
      <td>
        {isHidden && isByRole ? (
          <span class="quiet">{text('resource.hidden')}</span>
        ) : isHidden ? (
          <Secret {...{ id, pointer, path }} />
        ) : (
          <p class="actions">
            <Value value={value} />
            <CopyButton value={plainText(value)} label={text('resource.outputs.copy', { path })} />
          </p>
        )}
      </td>
    </tr>
  );
}

/** Reads the value anew when somebody asks for it. */
function Secret({ id, pointer, path }: { id: string; pointer: string; path: string }) {
  const value = useSignal<JsonValue | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const read = async (): Promise<JsonValue> => {
    const { record } = await readVersion(id);
    return atPointer(record.outputs, pointer) ?? null;
  };
  const toggle = async () => {
    error.value = undefined;
    try {
      value.value = value.value === undefined ? await read() : undefined;
    } catch (thrown) {
      error.value = thrown;
    }
  };
  return (
    <>
      <p class="actions">
        {value.value === undefined ? (
          <span class="quiet" aria-label={text('resource.hidden')} role="img">
            •••
          </span>
        ) : (
          <Value value={value.value} />
        )}
        <button type="button" class="small" onClick={() => void toggle()}>
          {text(value.value === undefined ? 'resource.outputs.show' : 'resource.outputs.hide', {
            path,
          })}
        </button>
        <CopyButton
          value={async () => plainText(await read())}
          label={text('resource.outputs.copy', { path })}
        />
      </p>
      <ErrorBox error={error.value} />
    </>
  );
}
