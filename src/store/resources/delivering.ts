// The reasons of a resource whose event is sent when it is due. With other reasons it is held. Pure.
import { Reason } from '../../crds/conditions.ts';

const reasons: ReadonlySet<string> = new Set<Reason>([
  Reason.Processing,
  Reason.Importing,
  Reason.Replacing,
  Reason.Deleting,
  Reason.RetryScheduled,
  Reason.InProgress,
  Reason.RateLimited,
  Reason.SettingsRefused,
]);

export function isDelivering(reason: string): boolean {
  return reasons.has(reason);
}
