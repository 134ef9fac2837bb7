// Writes log lines of a provider as JSON to standard output, where log collectors of clusters read them.
import { inspect } from 'node:util';
import { maskedValue, type SecretMask } from '../../domain/secrets/mask-text.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { HandlerLog } from '../call.ts';
import { stackText } from '../failure-text.ts';
import type { ContextMask } from './context-mask.ts';

type HandlerLogFields = Readonly<Record<string, unknown>>;

function line(level: string) {
  return (message: string, fields: HandlerLogFields = {}) => {
    const entry = { level, time: new Date().toISOString(), message };
    process.stdout.write(`${entryJson({ ...entry, ...plainFields(fields), ...entry })}\n`);
  };
}

/** A value that JSON cannot represent must not make the handler fail. */
export function entryJson(entry: HandlerLogFields): string {
  try {
    return JSON.stringify(entry, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  } catch {
    const shown = Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : inspect(value),
    ]);
    return JSON.stringify(Object.fromEntries(shown));
  }
}

/** The members of an Error are not enumerable, so JSON would omit them. */
function plainFields(fields: HandlerLogFields): HandlerLogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? stackText(value) : value,
    ]),
  );
}

export const jsonLines: HandlerLog = {
  debug: line('debug'),
  info: line('info'),
  warn: line('warn'),
  error: line('error'),
};

// Hides secrets in lines: in messages, and in fields before they become JSON, where the text in a text is escaped twice. Fields
// without a secret are passed as they are.

export function maskedLog(log: HandlerLog, mask: ContextMask): HandlerLog {
  const masked = (level: keyof HandlerLog) => (message: string, fields?: HandlerLogFields) => {
    if (!mask.hasSecrets()) return log[level](message, fields);
    log[level](mask.text(String(message)), fields && fieldsWithoutSecrets(fields, mask));
  };
  return {
    debug: masked('debug'),
    info: masked('info'),
    warn: masked('warn'),
    error: masked('error'),
  };
}

function fieldsWithoutSecrets(fields: HandlerLogFields, mask: SecretMask): HandlerLogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [mask.text(name), shownField(value, mask)]),
  );
}

const maxLevels = 5;

function shownField(value: unknown, mask: SecretMask, level = 0): unknown {
  if (value instanceof Error)
    return level > maxLevels ? maskedValue : shownError(value, mask, level);
  if (Array.isArray(value) && level <= maxLevels) {
    return value.map((each) => shownField(each, mask, level + 1));
  }
  if (typeof value === 'function' || value === undefined) return value;
  const { field = null } = JSON.parse(entryJson({ field: value })) as { field?: JsonValue };
  const shown = shownJson(field, mask);
  return JSON.stringify(shown) === JSON.stringify(field) ? value : shown;
}

/** Names of members too, unlike `value` of a mask. */
function shownJson(value: JsonValue, mask: SecretMask): JsonValue {
  if (typeof value !== 'object' || value === null) return mask.value(value);
  if (Array.isArray(value)) return value.map((item) => shownJson(item as JsonValue, mask));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [mask.text(name), shownJson(each, mask)]),
  );
}

/** @returns an error of the same class with the same members: loggers look at them */
function shownError(error: Error, mask: SecretMask, level: number): Error {
  const shown = Object.create(Object.getPrototypeOf(error) as object) as Error;
  for (const name of Object.getOwnPropertyNames(error)) {
    const value = shownField((error as never)[name], mask, level + 1);
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name);
    Object.defineProperty(shown, name, { value, enumerable, configurable: true, writable: true });
  }
  return shown;
}
