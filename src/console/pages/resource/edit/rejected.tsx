import { type ShownViolation, violationMessage } from '../../../../client/words/violation.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { text } from './text.ts';

interface RejectedProps {
  readonly violations: readonly ShownViolation[];
  /** The schema of the type, for the names that an unknown one may mean. */
  readonly schema: JsonObject | undefined;
  /** The place of the value in the text; undefined when it is not in it. */
  readonly offsetOf: (violation: ShownViolation) => number | undefined;
  readonly show: (offset: number) => void;
}

/** The rejected values, each with a way to its place in the text. */
export function Rejected({ violations, schema, offsetOf, show }: RejectedProps) {
  return (
    <div role="alert">
      {violations.length > 0 && (
        <div class="error-box">
          <p>{text('resource.edit.rejected')}</p>
          <ul>
            {violations.map((violation) => {
              const place = violation.loc.slice(1).join('.');
              const msg = violationMessage(violation, schema);
              const offset = offsetOf(violation);
              return (
                <li key={`${place} ${msg}`} class="pre">
                  {offset === undefined ? (
                    <code>{place}</code>
                  ) : (
                    <button type="button" class="link" onClick={() => show(offset)}>
                      <code>{place}</code>
                    </button>
                  )}{' '}
                  {msg}
                </li>
              );
            })}
          </ul>
        </div>
      )}
    </div>
  );
}
