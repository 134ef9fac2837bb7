// Log lines of a provider: JSON on standard output, as log collectors of clusters take them.
import type { HandlerLog } from './define.ts';

type Fields = Readonly<Record<string, unknown>>;

function line(level: string) {
  return (message: string, fields: Fields = {}) => {
    const entry = { level, time: new Date().toISOString(), message, ...plain(fields) };
    process.stdout.write(`${JSON.stringify(entry)}\n`);
  };
}

/** Errors have no fields of their own that JSON would show. */
function plain(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}

export const jsonLines: HandlerLog = {
  debug: line('debug'),
  info: line('info'),
  warn: line('warn'),
  error: line('error'),
};
