// Says what the options of a resource mean, and in a sentence what a change of one means. Pure.
import type { ResourceRecord } from '../../../../api/shapes.ts';
import {
  defaultOptions,
  neverObserved,
  resourceOptionFields,
} from '../../../../domain/resource-options.ts';
import { bodyOf } from '../../../../lib/fields.ts';
import type { JsonValue } from '../../../../lib/json.ts';
import { localTime } from '../../../components/text/local-time.ts';
import type { ShownChange } from '../history/changes.ts';
import { isTextKey, text } from '../text.ts';

/** The value of an option that is removed. */
const defaults: Readonly<Record<string, JsonValue>> = bodyOf(resourceOptionFields, defaultOptions);

/** @returns undefined for a change of the content, or to a value that is unknown here */
export function optionSentence({
  path,
  kind,
  after,
}: Pick<ShownChange, 'path' | 'kind' | 'after'>): string | undefined {
  const value = kind === 'removed' ? defaults[path] : after;
  const timed = `resource.option.${path}.time`;
  if (typeof value === 'string' && isTextKey(timed)) return text(timed, { time: localTime(value) });
  const sentence = `resource.option.${path}.${value}`;
  return isTextKey(sentence) ? text(sentence) : undefined;
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
