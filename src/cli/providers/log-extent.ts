// Describes what the API read of the logs before it selected the requested lines: the data of the event `end`. Pure.
import { counted, since } from '../../client/time.ts';

export interface LogExtent {
  readonly pods: number;
  readonly lines: number;
  /** Time of the oldest line. */
  readonly since: string | null;
}

/** @returns a sentence about what was read */
export function extentText({ pods, lines, since: from }: LogExtent, now: Date): string {
  if (pods === 0) return 'The provider has no pods now.';
  const age = from === null ? '' : `, since ${from} (${since(from, now)} ago)`;
  return `${counted(lines, 'line')} of ${counted(pods, 'pod')} ${lines === 1 ? 'was' : 'were'} read${age}.`;
}
