// Finds the field that each violation belongs to. Pure.

import { type ShownViolation, violationMessage } from '../../../../client/words/violation.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { pointer } from '../../../../lib/json.ts';
import { violationText } from '../../../api/errors.ts';

/** Messages by the JSON Pointer of the field that they are shown at. */
export type Messages = ReadonlyMap<string, readonly string[]>;

export interface PlacedMessages {
  readonly messages: Messages;
  /** The messages that belong to no field. */
  readonly others: readonly string[];
}

/**
 * @param places of the fields: a violation inside a text of JSON, or of an unknown name, is shown at what contains it
 * @param schema of the type, for the names that an unknown one may mean
 */
export function placed(
  violations: readonly ShownViolation[],
  places: ReadonlySet<string>,
  schema?: JsonObject | null,
): PlacedMessages {
  const messages = new Map<string, string[]>();
  const others: string[] = [];
  for (const violation of violations) {
    const { loc } = violation;
    const msg = violationMessage(violation, schema);
    const paths = [''];
    for (const part of loc.slice(1)) paths.push(pointer(paths.at(-1) ?? '', `${part}`));
    const place = paths.findLast((path) => places.has(path));
    if (place === undefined) others.push(violationText(violation, schema));
    else {
      const rest = loc.slice(1).slice(place.split('/').length - 1);
      const message = rest.length === 0 ? msg : `${rest.join('.')}: ${msg}`;
      messages.set(place, [...(messages.get(place) ?? []), message]);
    }
  }
  return { messages, others };
}
