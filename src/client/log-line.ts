// Reads lines of provider logs. The SDK writes JSON with level, time, message and the event; programs that are not written with
// it, and console.log, write anything.

export interface LogLine {
  readonly pod: string;
  readonly text: string;
  /** The fields of a line of JSON. */
  readonly entry: Readonly<Record<string, unknown>> | undefined;
}

/** @param line as the API sends it: the pod, a space, and what was written */
export function parseLogLine(line: string): LogLine {
  const at = line.indexOf(' ');
  const [pod, text] = at < 0 ? ['', line] : [line.slice(0, at), line.slice(at + 1)];
  return { pod, text, entry: entryIn(text) };
}

function entryIn(text: string): LogLine['entry'] {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** In the columns before, or the same in every line of a command. */
const unshown: readonly string[] = ['level', 'time', 'message', 'organization', 'sequence'];

interface LogParts {
  /** The last part of the name of the pod. */
  readonly source: string;
  /** Undefined for a line that is not of the SDK: all of it is the message. */
  readonly level: string | undefined;
  /** Time of day in UTC, with a `Z`; may be empty. */
  readonly clock: string;
  readonly message: string;
  /** `name=value` of the other fields; may be empty. */
  readonly fields: string;
}

/** @returns the parts of a line for people, as they were written: control characters too */
export function logLineParts({ pod, text, entry }: LogLine): LogParts {
  const source = pod.split('-').at(-1) ?? pod;
  if (entry === undefined) {
    return { source, level: undefined, clock: '', message: text, fields: '' };
  }
  const { time, level, message } = entry;
  const fields = Object.entries(entry)
    .filter(([name]) => !unshown.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return {
    source,
    level: String(level ?? 'info'),
    clock: clockOf(time),
    message: String(message ?? ''),
    fields: fields.join(' '),
  };
}

/** Programs that are not written with the SDK write times of any zone, and anything else. */
function clockOf(time: unknown): string {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? '' : new Date(at).toISOString().slice(11);
}
