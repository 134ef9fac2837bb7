// A line that a pod of a provider wrote.
import { logLineParts, parseLogLine } from '../../../client/log-line.ts';
import { shownFields, shownLine } from './line-text.ts';

/** Shows a line of the log of a provider: pod, time, level, message and fields. */
export function podLine(line: string) {
  const { source, level, clock, message, fields } = logLineParts(parseLogLine(line));
  return (
    <>
      <span class="quiet">
        {shownFields(source)} {shownFields(clock)}
      </span>{' '}
      {level !== undefined && <b class={levelClass(level)}>{shownFields(level)} </b>}
      {shownLine(message)} {fields !== '' && <span class="quiet">{shownFields(fields)}</span>}
    </>
  );
}

/** Any program writes any level. */
function levelClass(level: string): string {
  if (level === 'error') return 'bad';
  return level === 'warn' ? 'busy' : 'quiet';
}
