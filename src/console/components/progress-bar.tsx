// Shows how far the provider is with the event of a resource. The message of the provider beside it is text of its own.
import type { ResourceRecord } from '../../api/shapes.ts';
import { text } from '../text.ts';

/** Nothing when it reports no progress, or does not know the total. */
export function ProgressBar({ record }: { readonly record: ResourceRecord }) {
  const { done = null, total = null } = record.progress ?? {};
  if (done === null || total === null || total === 0) return null;
  return <progress value={done} max={total} aria-label={text('progress')} />;
}
