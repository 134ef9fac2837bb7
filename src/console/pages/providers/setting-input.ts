// How a setting is typed, by the JSON Schema of its value. Pure.
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import { text } from '../../text.ts';

export type SettingInput =
  | { readonly kind: 'text' | 'number' | 'json' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

interface Declared {
  readonly schema: JsonObject | null;
}

/** @returns a field for text, a number or a choice; JSON for everything else */
export function inputOf({ schema }: Declared): SettingInput {
  const { type, enum: choices } = schema ?? {};
  if (type === 'boolean') return { kind: 'choice', choices: ['true', 'false'] };
  if (Array.isArray(choices) && choices.every((each) => typeof each === 'string')) {
    return { kind: 'choice', choices: choices as readonly string[] };
  }
  if (type === 'string') return { kind: 'text' };
  return { kind: type === 'number' || type === 'integer' ? 'number' : 'json' };
}

/** @throws Error for text that is no value of its kind */
export function settingValue(input: SettingInput, typed: string): JsonValue {
  if (input.kind === 'text') return typed;
  if (input.kind === 'choice') {
    if (typed === '') throw new Error(text('providers.choose'));
    return input.choices.includes('true') ? typed === 'true' : typed;
  }
  try {
    return JSON.parse(typed) as JsonValue;
  } catch {
    throw new Error(text(input.kind === 'number' ? 'providers.no-number' : 'providers.no-json'));
  }
}

/** @returns the text of a value that is set */
export function typedOf({ kind }: SettingInput, value: unknown): string {
  if (value === null || value === undefined) return '';
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}
