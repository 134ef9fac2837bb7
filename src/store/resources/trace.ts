// The trace of an apply, kept on the Resource for the events of its content.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { Resource } from '../../crds/resource.ts';
import { traceparentIn } from '../../lib/traceparent.ts';
import { annotation } from '../kinds.ts';
import { contentHashOf } from './content.ts';

/** @returns the value of the annotation */
export function traceOf(traceparent: string, spec: Resource['spec']): string {
  return `${traceparent} ${contentHashOf(spec)}`;
}

/**
 * @returns the trace of the apply that wrote the content of an event; undefined for content of kubectl, for applies without a trace,
 * and for deletions, which are requests of their own
 */
export function traceparentFor(
  { metadata }: Pick<Resource, 'metadata'>,
  { type, content }: Pick<ClaimedEvent, 'type' | 'content'>,
): string | undefined {
  const [traceparent, of] = metadata.annotations?.[annotation.traceparent]?.split(' ') ?? [];
  return type !== 'DELETE' && of === content ? traceparentIn(traceparent) : undefined;
}
