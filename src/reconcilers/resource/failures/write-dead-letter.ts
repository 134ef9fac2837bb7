// Writes a dead letter within the quota of ConfigMaps that it shares with orphan receipts. A dead letter decides about a
// resource, an orphan receipt records a removed one: so the oldest orphan receipt is deleted when the quota is full.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import { KubeError } from '../../../kube/errors.ts';
import type { Recorder } from '../../../kube/recorder.ts';
import type { DeadLetter } from '../../../store/dead-letters/object.ts';
import type { ReceiptStore } from '../../../store/dead-letters/orphan-receipts.ts';
import type { DeadLetterStore } from '../../../store/dead-letters/store.ts';
import { kinds } from '../../../store/kinds.ts';

interface WriteDeps {
  readonly deadLetters: Pick<DeadLetterStore, 'write'>;
  readonly receipts: Pick<ReceiptStore, 'removeOldest'>;
  readonly recorder: Pick<Recorder, 'record'>;
}

/**
 * @throws KubeError `forbidden` with detail `quotaExceeded` when the quota is full. Then the oldest orphan receipt, if any,
 * is deleted: the quota controller frees its place a moment later, and the next pass writes the dead letter.
 */
export async function writeDeadLetter(
  deadLetter: DeadLetter,
  { metadata }: Resource,
  { deadLetters, receipts, recorder }: WriteDeps,
): Promise<void> {
  try {
    await deadLetters.write(deadLetter);
  } catch (thrown) {
    if (!(thrown instanceof KubeError) || thrown.detail !== 'quotaExceeded') throw thrown;
    const receipt = await receipts.removeOldest(deadLetter.resource.namespace);
    if (receipt !== undefined) {
      const message = `The ConfigMap quota is exceeded; orphan receipt ${receipt} was deleted to make room for the dead letter of event ${deadLetter.eventId}`;
      const about = { type: 'Warning', reason: Reason.QuotaExceeded, message } as const;
      recorder.record({ kind: kinds.resource, metadata }, about);
    }
    throw thrown;
  }
}
