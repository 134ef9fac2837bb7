// Splits a line that the SDK wrote as JSON into what is shown in columns. Pure.

export interface ShownEntry {
  /** Time of day in UTC; empty without one. */
  readonly time: string;
  readonly level: string;
  readonly message: string;
  /** `name=value`, separated by spaces. */
  readonly fields: string;
}

/** In the columns before, or the same in every line. */
const unshown: readonly string[] = ['level', 'time', 'message', 'organization', 'sequence'];

export function shownEntry(entry: Readonly<Record<string, unknown>>): ShownEntry {
  const { time, level, message } = entry;
  const fields = Object.entries(entry)
    .filter(([name]) => !unshown.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return {
    time: typeof time === 'string' ? time.slice(11, 23) : '',
    level: typeof level === 'string' ? level : 'info',
    message: typeof message === 'string' ? message : '',
    fields: fields.join(' '),
  };
}
