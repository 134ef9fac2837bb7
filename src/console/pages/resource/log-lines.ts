// The lines of a log, as people read them. Pure.
import { parseLogLine } from '../../../cli/providers/log-format.ts';

export interface ShownLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** The same in every line of the log of one resource, or in the columns before. */
const unshown: readonly string[] = [
  ...['level', 'time', 'message', 'organization', 'sequence'],
  ...['resource', 'resource_id'],
];

/** @param log as the API sends it */
export function logLines(log: string): readonly ShownLine[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map(shown);
}

function shown(line: string): ShownLine {
  const { pod, text, entry } = parseLogLine(line);
  const source = pod.split('-').at(-1) ?? pod;
  if (entry === undefined) return { level: 'info', text: `${source} ${text}` };
  const { time, level, message } = entry;
  const fields = Object.entries(entry)
    .filter(([name]) => !unshown.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const known = levels.find((each) => each === level) ?? 'info';
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const parts = [source, clock, String(level ?? 'info'), String(message ?? ''), ...fields];
  return { level: known, text: parts.filter((part) => part !== '').join(' ') };
}
