import type { JsonValue } from '../../../lib/json.ts';
import type { Change } from './changes.ts';
import { text } from './text.ts';

/** Longer values are cut, with the whole in a disclosure. */
const maxLength = 160;

export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ul class="changes">
      {changes.map(({ path, kind, before, after }) => (
        <li key={path}>
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
        </li>
      ))}
    </ul>
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
