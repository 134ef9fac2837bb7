// A field with one control: text, number, choice or JSON.
import { useId } from 'preact/hooks';
import { text } from '../text.ts';
import type { FieldProps } from './field-props.ts';
import { Hint, Problems } from './hint.tsx';
import type { Field } from './model.ts';

export function Scalar({ field, input, path, label, change, messages }: FieldProps) {
  const id = useId();
  const problems = messages.get(path);
  if (field.kind === 'fixed') return <Fixed field={field} label={label} />;
  const said = field.description !== '' || 'min' in field || 'max' in field;
  const describedBy = [...(said ? [`${id}-hint`] : []), ...(problems ? [`${id}-problem`] : [])];
  const attributes = {
    id,
    // Null is a value of its own, and what is empty means it.
    required: field.isRequired && !field.isNullable,
    'aria-invalid': problems !== undefined,
    'aria-describedby': describedBy.join(' ') || undefined,
  };
  return (
    <div class="field">
      <label for={id}>
        <code>{label}</code>
        <FieldMarks field={field} />
      </label>
      <Control
        field={field}
        value={input.kind === 'text' ? input.text : ''}
        attributes={attributes}
        onValue={(value) => change({ kind: 'text', text: value })}
      />
      <Hint id={`${id}-hint`} field={field} />
      <Problems id={`${id}-problem`} messages={problems} />
    </div>
  );
}

function Fixed({ field, label }: { readonly field: Field; readonly label: string }) {
  return (
    <p class="field">
      <code>{label}</code>{' '}
      <span class="quiet">
        {text('types.always')} <code>{field.kind === 'fixed' && JSON.stringify(field.value)}</code>
      </span>
    </p>
  );
}

export function FieldMarks({
  field: { isRequired, isSecret, isImmutable, isNullable, kind },
}: {
  readonly field: Field;
}) {
  return (
    <span class="quiet">
      {isRequired && !isNullable && ` ${text('types.required')}`}
      {isSecret && ` ${text('types.sensitive')}`}
      {isImmutable && ` ${text('types.immutable')}`}
      {kind === 'json' && ` ${text('types.as-json')}`}
    </span>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly value: string;
  readonly attributes: {
    readonly id: string;
    readonly required: boolean;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string | undefined;
  };
  readonly onValue: (value: string) => void;
}

const plain = { spellcheck: false, autocapitalize: 'none' } as const;
const minRows = 3;
const maxRows = 20;

interface Editing {
  readonly currentTarget: { readonly value: string };
}

function Control({ field, value, attributes, onValue }: ControlProps) {
  const onInput = (event: Editing) => onValue(event.currentTarget.value);
  const all = { ...attributes, ...plain, value, onInput };
  if (field.kind === 'choice' || field.kind === 'boolean') {
    return (
      <select {...all}>
        <option value="">{text(attributes.required ? 'types.choose' : 'types.not-set')}</option>
        {choicesOf(field).map((name, index) => (
          <option key={index} value={field.kind === 'boolean' ? name : `${index}`}>
            {name}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === 'json' || (field.kind === 'text' && field.isLong)) {
    const rows = Math.min(maxRows, Math.max(minRows, value.split('\n').length + 1));
    const secret = field.isSecret ? 'secret' : '';
    return <textarea {...all} autocomplete="off" rows={rows} class={secret} />;
  }
  if (field.isSecret) return <input {...all} type="password" autocomplete="new-password" />;
  if (field.kind !== 'number') return <input {...all} type="text" autocomplete="off" />;
  const { isInteger, min, max } = field;
  return <input {...all} type="number" min={min} max={max} step={isInteger ? '1' : 'any'} />;
}

function choicesOf(field: Field): readonly string[] {
  if (field.kind !== 'choice') return ['true', 'false'];
  return field.options.map((option) =>
    typeof option === 'string' ? option : JSON.stringify(option),
  );
}
