import type { JsonValue } from '../../../../lib/json.ts';
import { optionSentence } from '../options/option-words.ts';
import { text } from '../text.ts';
import type { ShownChange } from './changes.ts';

/** Longer values are cut, with the whole in a disclosure. */
const maxLength = 160;

export function ChangeList({ changes }: { readonly changes: readonly ShownChange[] }) {
  return (
    <ul class="changes">
      {changes.map((change) => (
        <li key={change.path}>
          <ChangeItem change={change} sentence={optionSentence(change)} />
        </li>
      ))}
    </ul>
  );
}

interface ItemProps {
  readonly change: ShownChange;
  /** Instead of the values. */
  readonly sentence: string | undefined;
}

function ChangeItem({ change: { path, kind, before, after }, sentence }: ItemProps) {
  if (sentence !== undefined) {
    return (
      <p>
        {sentence} <code class="quiet">{path}</code>
      </p>
    );
  }
  return (
    <>
      <p>
        <code>{path}</code> <span class="quiet">{text(`resource.change.${kind}`)}</span>
      </p>
      {before !== undefined && (
        <p class="removed">
          <del>
            <Value value={before} />
          </del>
        </p>
      )}
      {after !== undefined && (
        <p class="added">
          <ins>
            <Value value={after} />
          </ins>
        </p>
      )}
    </>
  );
}

export function Value({ value }: { readonly value: JsonValue }) {
  const whole = JSON.stringify(value);
  if (whole.length <= maxLength) return <code>{whole}</code>;
  return (
    <details class="long">
      <summary>
        <code>{whole.slice(0, maxLength)}…</code>
      </summary>
      <pre class="block">{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
