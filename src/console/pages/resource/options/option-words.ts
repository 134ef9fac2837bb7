// Says what the options of a resource mean, and in a sentence what a change of one means. Pure.
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { neverObserved } from '../../../../domain/observation/options.ts';
import { defaultOptions, resourceOptionsBody } from '../../../../domain/resource-options.ts';
import type { JsonValue } from '../../../../lib/json.ts';
import { localTime } from '../../../components/text/local-time.ts';
import type { Change } from '../history/changes.ts';
import { text } from '../text.ts';

const known = [
  ...(['protected.true', 'protected.false', 'paused.true', 'paused.false'] as const),
  ...(['deletion_policy.orphan', 'deletion_policy.delete', 'expires_at.null'] as const),
  ...(['management.managed', 'management.observed'] as const),
  ...(['observe.on_drift.correct', 'observe.on_drift.report'] as const),
];

/** The value of an option that is removed. */
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

/** @returns such as `every 10m, without /tags`; empty when all is as the type says */
export function observeWords({
  observe: { every, ignore, on_drift },
}: Pick<ResourceRecord, 'observe'>): string {
  return [
    ...(every === null ? [] : [everyWords(every)]),
    ...(ignore.length === 0
      ? []
      : [text('resource.observed.ignore', { paths: ignore.join(', ') })]),
    ...(on_drift === 'correct' ? [text('resource.observed.correct')] : []),
  ].join(', ');
}

function everyWords(every: string): string {
  return every === neverObserved
    ? text('resource.observed.never')
    : text('resource.observed.every', { interval: every });
}
