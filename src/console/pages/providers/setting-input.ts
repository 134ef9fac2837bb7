// Decides by the JSON Schema of a setting how it is typed in, and reads what was typed.
import { plainText } from '../../../client/plain-text.ts';

export type SettingInput =
  | { readonly kind: 'text' | 'number' | 'boolean' | 'json' }
  | { readonly kind: 'choice'; readonly options: readonly string[] };

/** @returns how a setting is typed in; as JSON where the schema allows more than one type */
export function settingInput(schema: Readonly<Record<string, unknown>> | null): SettingInput {
  const { type, enum: options } = schema ?? {};
  if (Array.isArray(options) && options.length > 0 && options.every(isText)) {
    return { kind: 'choice', options };
  }
  if (type === 'string') return { kind: 'text' };
  if (type === 'number' || type === 'integer') return { kind: 'number' };
  if (type === 'boolean') return { kind: 'boolean' };
  return { kind: 'json' };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

type Typed =
  | { readonly value: unknown }
  | { readonly problem: 'empty' | 'not-a-number' | 'not-json' };

/** @returns the value that was typed. The API checks it against the schema; here only what JSON cannot carry is refused. */
export function typedValue({ kind }: SettingInput, typed: string): Typed {
  if (kind === 'text' || kind === 'choice') {
    return typed === '' && kind === 'choice' ? { problem: 'empty' } : { value: typed };
  }
  if (typed.trim() === '') return { problem: 'empty' };
  if (kind === 'boolean') return { value: typed === 'true' };
  if (kind === 'number') {
    const value = Number(typed);
    return Number.isFinite(value) ? { value } : { problem: 'not-a-number' };
  }
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return { problem: 'not-json' };
  }
}

/** @returns what stands in the field before: the value that applies now; nothing for a sensitive one, which is not known */
export function shownValue({ kind }: SettingInput, value: unknown): string {
  if (value === null || value === undefined) return '';
  return kind === 'json' ? JSON.stringify(value, null, 2) : plainText(value);
}
