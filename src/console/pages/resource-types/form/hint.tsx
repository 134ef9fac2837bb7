// The hints of a schema about a field. Tenants wrote it, at any length.
import { numberText } from '../../../text.ts';
import { text } from '../text.ts';
import type { Field } from './model.ts';

const maxLength = 240;

/** @param id for `aria-describedby` */
export function Hint({ id, field }: { readonly id: string; readonly field: Field }) {
  const limits = limitsText(field);
  const { description } = field;
  if (limits === '' && description === '') return null;
  const isLong = description.length > maxLength;
  return (
    <div class="hint">
      <p id={id} class="pre">
        {isLong ? `${description.slice(0, maxLength)} …` : description}
        {description !== '' && limits !== '' && ' '}
        {limits}
      </p>
      {isLong && (
        <details>
          <summary>{text('types.more')}</summary>
          <p class="pre">{description}</p>
        </details>
      )}
    </div>
  );
}

function limitsText(field: Field): string {
  if (field.kind !== 'number' && field.kind !== 'text') return '';
  const { kind, min, max } = field;
  const values = { least: numberText(min ?? 0), most: numberText(max ?? 0) };
  if (min !== undefined && max !== undefined) return text(`types.limit.${kind}.both`, values);
  if (min !== undefined) return text(`types.limit.${kind}.least`, values);
  return max === undefined ? '' : text(`types.limit.${kind}.most`, values);
}

interface MessageProps {
  readonly id: string;
  readonly messages: readonly string[] | undefined;
}

/** The messages about a rejected field; takes the focus where there is no control to focus. */
export function Problems({ id, messages = [] }: MessageProps) {
  if (messages.length === 0) return null;
  return (
    <ul id={id} class="invalid pre" data-problem tabIndex={-1}>
      {messages.map((message) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  );
}
