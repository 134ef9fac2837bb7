// Records an Event of a Resource.
import type { Reason } from '../../crds/conditions.ts';
import type { Resource } from '../../crds/resource.ts';
import type { Recorder } from '../../kube/recorder.ts';
import { kinds } from '../../store/kinds.ts';

export function recordEvent(
  { recorder }: { readonly recorder: Pick<Recorder, 'record'> },
  { metadata }: Resource,
  { type, reason, message }: { type: 'Normal' | 'Warning'; reason: Reason; message: string },
): void {
  recorder.record({ kind: kinds.resource, metadata }, { type, reason, message });
}
