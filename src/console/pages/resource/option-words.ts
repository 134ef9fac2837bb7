// Says in a sentence what a change of an option means. Pure.
import { localTime } from '../../components/local-time.ts';
import type { Change } from './changes.ts';
import { text } from './text.ts';

const known = [
  ...(['protected.true', 'protected.false', 'paused.true', 'paused.false'] as const),
  ...(['deletion_policy.orphan', 'deletion_policy.delete', 'expires_at.null'] as const),
];

/** @returns undefined for a change of the content, or to a value that is unknown here */
export function optionSentence({
  path,
  after,
}: Pick<Change, 'path' | 'after'>): string | undefined {
  if (path === 'expires_at' && typeof after === 'string') {
    return text('resource.option.expires_at.time', { time: localTime(after) });
  }
  const change = known.find((each) => each === `${path}.${after}`);
  return change && text(`resource.option.${change}`);
}
