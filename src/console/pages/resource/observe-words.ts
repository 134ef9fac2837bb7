// Says how the object of a resource is observed, as far as it is not as its type says. Pure.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { neverObserved } from '../../../domain/observation/options.ts';
import { text } from './text.ts';

/** @returns such as `every 10m, without /tags`; empty when all is as the type says, and of a server before 0.2 */
export function observeWords({ observe }: Partial<Pick<ResourceRecord, 'observe'>>): string {
  if (observe === undefined) return '';
  const { every, ignore, on_drift } = observe;
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
