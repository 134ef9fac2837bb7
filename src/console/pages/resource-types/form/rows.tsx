// The items of a list, and the members of a record, which have names.
import type { FunctionComponent } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { pointer } from '../../../../lib/json.ts';
import { NameInput } from '../../../components/name-input.tsx';
import { text } from '../text.ts';
import type { FieldProps } from './field-props.ts';
import { newRow, type Row } from './input.ts';
import type { FieldOf } from './model.ts';

interface RowsProps extends FieldProps {
  readonly field: FieldOf<'list'> | FieldOf<'record'>;
  readonly rows: readonly Row[];
  /** Shows the value of a row, which is a field of any kind. */
  readonly View: FunctionComponent<FieldProps>;
}

export function Rows({ field, rows, path, label, change, messages, View }: RowsProps) {
  const add = useRef<HTMLButtonElement>(null);
  const isRecord = field.kind === 'record';
  const set = (next: readonly Row[]) => change({ kind: 'rows', rows: next });
  const replace = (row: Row) => set(rows.map((each) => (each.id === row.id ? row : each)));
  return (
    <>
      <ul>
        {rows.map((row, index) => (
          <li key={row.id} class="form-row">
            {isRecord && <NameField name={row.name} onName={(name) => replace({ ...row, name })} />}
            <View
              field={field.item}
              input={row.input}
              path={pointer(path, isRecord ? row.name : `${index}`)}
              label={isRecord ? text('types.record-value') : `${label} ${index + 1}`}
              change={(input) => replace({ ...row, input })}
              messages={messages}
            />
            <button
              type="button"
              class="small"
              onClick={() => {
                set(rows.filter(({ id }) => id !== row.id));
                // The button that had the focus is gone.
                add.current?.focus();
              }}
            >
              {text('types.remove', { name: isRecord ? row.name : `${label} ${index + 1}` })}
            </button>
          </li>
        ))}
      </ul>
      <button
        ref={add}
        type="button"
        class="small"
        onClick={() => set([...rows, newRow(field.item)])}
      >
        {text('types.add', { name: label })}
      </button>
    </>
  );
}

function NameField({ name, onName }: { name: string; onName: (name: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {text('types.record-name')} <span class="quiet">{text('types.required')}</span>
      </label>
      <NameInput id={id} required value={name} onInput={onName} />
    </div>
  );
}
