// Says in a sentence what a change of an option means. Pure.
import { defaultOptions, resourceOptionsBody } from '../../../domain/resource-options.ts';
import type { JsonValue } from '../../../lib/json.ts';
import { localTime } from '../../components/local-time.ts';
import type { Change } from './changes.ts';
import { text } from './text.ts';

const known = [
  ...(['protected.true', 'protected.false', 'paused.true', 'paused.false'] as const),
  ...(['deletion_policy.orphan', 'deletion_policy.delete', 'expires_at.null'] as const),
  ...(['management.managed', 'management.observed'] as const),
  ...(['observe.on_drift.correct', 'observe.on_drift.report'] as const),
];

/** What an option is that is removed. */
const defaults: Readonly<Record<string, JsonValue>> = { ...resourceOptionsBody(defaultOptions) };

/** @returns undefined for a change of the content, or to a value that is unknown here */
export function optionSentence({
  path,
  kind,
  after,
}: Pick<Change, 'path' | 'kind' | 'after'>): string | undefined {
  const value = kind === 'removed' && Object.hasOwn(defaults, path) ? defaults[path] : after;
  if (path === 'expires_at' && typeof value === 'string') {
    return text('resource.option.expires_at.time', { time: localTime(value) });
  }
  const change = known.find((each) => each === `${path}.${value}`);
  return change && text(`resource.option.${change}`);
}
