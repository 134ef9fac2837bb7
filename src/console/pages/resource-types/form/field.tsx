// A field of the form, and what it contains.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { pointer } from '../../../../lib/json.ts';
import { text } from '../text.ts';
import type { FieldProps } from './field-props.ts';
import { Hint, Problems } from './hint.tsx';
import { type Input, inputOf, variantInput } from './input.ts';
import type { FieldOf } from './model.ts';
import { Rows } from './rows.tsx';
import { FieldMarks, Scalar } from './scalar.tsx';

export function FieldView(props: FieldProps) {
  const { field, input } = props;
  if (field.kind === 'group' && input.kind === 'group') {
    return <Group {...props} field={field} input={input} />;
  }
  if ((field.kind === 'list' || field.kind === 'record') && input.kind === 'rows') {
    return (
      <Frame {...props}>
        <Rows {...props} field={field} rows={input.rows} View={FieldView} />
      </Frame>
    );
  }
  if (field.kind === 'variants' && input.kind === 'variant') {
    return (
      <Frame {...props}>
        <Variants {...props} field={field} input={input} />
      </Frame>
    );
  }
  return <Scalar {...props} />;
}

type FieldPart<Kind extends Input['kind']> = Extract<Input, { kind: Kind }>;

interface FrameProps extends FieldProps {
  readonly children: ComponentChildren;
}

/** A fieldset; none around the config itself. */
function Frame({ field, path, label, messages, children }: FrameProps) {
  const id = useId();
  const inside = (
    <>
      <Hint id={`${id}-hint`} field={field} />
      <Problems id={`${id}-problem`} messages={messages.get(path)} />
      {children}
    </>
  );
  if (path === '/config') return inside;
  return (
    <fieldset>
      <legend>
        <code>{label}</code>
        <FieldMarks field={field} />
      </legend>
      {inside}
    </fieldset>
  );
}

function Group({
  input,
  ...props
}: FieldProps & { readonly field: FieldOf<'group'>; readonly input: FieldPart<'group'> }) {
  const { field, label, change } = props;
  const mayBeAbsent = !field.isRequired || field.isNullable;
  return (
    <Frame {...props} input={input}>
      {mayBeAbsent && (
        <label class="check">
          <input
            type="checkbox"
            checked={input.isSet}
            onInput={(event) => change({ ...input, isSet: event.currentTarget.checked })}
          />{' '}
          {text('types.set', { name: label })}
        </label>
      )}
      {input.isSet && <Members {...props} input={input} />}
    </Frame>
  );
}

function Members({
  field,
  input,
  path,
  change,
  messages,
}: FieldProps & { readonly field: FieldOf<'group'>; readonly input: FieldPart<'group'> }) {
  return (
    <>
      {field.members.map(({ name, field: member }) => (
        <FieldView
          key={name}
          field={member}
          input={input.members.get(name) ?? inputOf(member)}
          path={pointer(path, name)}
          label={name}
          messages={messages}
          change={(each) =>
            change({ ...input, members: new Map([...input.members, [name, each] as const]) })
          }
        />
      ))}
    </>
  );
}

function Variants({
  field,
  input,
  path,
  label,
  change,
  messages,
}: FieldProps & { readonly field: FieldOf<'variants'>; readonly input: FieldPart<'variant'> }) {
  const id = useId();
  const chosen = field.variants[input.chosen];
  return (
    <>
      <div class="field">
        <label for={id}>{text('types.variant', { name: label })}</label>
        <select
          id={id}
          required={field.isRequired && !field.isNullable}
          value={input.chosen < 0 ? '' : `${input.chosen}`}
          onInput={({ currentTarget: { value } }) =>
            change(variantInput(field, value === '' ? -1 : Number(value)))
          }
        >
          <option value="">{text(field.isRequired ? 'types.choose' : 'types.not-set')}</option>
          {field.variants.map(({ name }, index) => (
            <option key={name} value={`${index}`}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {chosen !== undefined && (
        <Chosen
          key={chosen.name}
          field={chosen.field}
          label={chosen.name}
          {...{ path, messages }}
          input={input.input}
          change={(each) => change({ ...input, input: each })}
        />
      )}
    </>
  );
}

/** The members of a variant stand in the fieldset of the choice. */
function Chosen(props: FieldProps) {
  const { field, input } = props;
  if (field.kind !== 'group' || input.kind !== 'group') return <FieldView {...props} />;
  return <Members {...props} field={field} input={input} />;
}
