// The message of a record about its event: how far it is, and the explanation of the reason. Pure.
import type { ResourceRecord } from '../../api/shapes.ts';
import { progressFigures, progressText } from '../../domain/progress/text.ts';

type MessageRecord = Pick<ResourceRecord, 'reason' | 'message'> & {
  readonly progress?: ResourceRecord['progress'];
};

/** With any other reason, such as a provider that is not ready, the progress is that of before. */
const whileWorking = ['Processing', 'Deleting', 'InProgress', 'RetryScheduled'];

/** @returns such as `20,000 of 100,000 (20 %): Copying rows`; the message alone when nothing reports progress */
export function shownMessage({ reason, message, progress = null }: MessageRecord): string | null {
  if (progress === null || !whileWorking.includes(reason)) return message;
  // The message of an operation is longer, or tells that a deletion waits for it. Any other is older than the progress.
  const beginning = (progress.message ?? '').replace(/\u2026$/, '');
  const isRepeated = beginning !== '' && message?.includes(beginning) === true;
  const figures = progressFigures(progress);
  if (!isRepeated) return progressText(progress);
  return figures === '' ? message : `${figures}: ${message}`;
}
