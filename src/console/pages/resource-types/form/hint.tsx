// What a schema says about a field. Tenants wrote it, at any length.
import { numberText, text } from '../../../text.ts';
import type { Field } from './model.ts';

const longest = 240;

/** @param id for `aria-describedby` */
export function Hint({ id, field }: { readonly id: string; readonly field: Field }) {
  const limits = limitsOf(field);
  const { description } = field;
  if (limits === '' && description === '') return null;
  const isLong = description.length > longest;
  return (
    <div class="hint">
      <p id={id} class="pre">
        {isLong ? `${description.slice(0, longest)} …` : description}
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

function limitsOf(field: Field): string {
  if (field.kind !== 'number' && field.kind !== 'text') return '';
  const { kind, least, most } = field;
  const values = { least: numberText(least ?? 0), most: numberText(most ?? 0) };
  if (least !== undefined && most !== undefined) return text(`types.limit.${kind}.both`, values);
  if (least !== undefined) return text(`types.limit.${kind}.least`, values);
  return most === undefined ? '' : text(`types.limit.${kind}.most`, values);
}

interface MessageProps {
  readonly id: string;
  readonly messages: readonly string[] | undefined;
}

/** Of what was rejected; takes the focus where there is no control to focus. */
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
