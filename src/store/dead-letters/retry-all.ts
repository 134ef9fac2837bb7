// "Retry all": makes the leader resend every present dead letter. The redrive that is written selects them by the resourceVersion of
// the newest; only their number comes from the index. Each dead letter is counted by one request only.
import type { Resource } from '../../crds/resource.ts';
import type { Organization } from '../../domain/identity.ts';
import type { Informer, KubeClient } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import { inTimeSlices } from '../time-slices.ts';
import type { IndexedDeadLetter } from './indexed.ts';
import {
  acceptRedrive,
  accepts,
  type DeadLetterFilter,
  type Redrive,
  redrivesIn,
} from './redrives.ts';
import { type SelectionDeps, selectedDeadLetters } from './selection.ts';
import { deadLetterState } from './state.ts';

export interface DeadLetterDeps extends SelectionDeps {
  readonly client: KubeClient;
  readonly resources: Pick<Informer<Resource>, 'get'>;
}

export interface RetryAll extends DeadLetterFilter {
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

/**
 * @returns how many dead letters are newly accepted: those that a running redrive already resends are excluded
 */
export async function retryAll(
  deps: DeadLetterDeps,
  organization: Organization,
  { provider, cause, dryRun = false }: RetryAll,
): Promise<number> {
  const { client, resources } = deps;
  const { namespace } = organization;
  let untilVersion = '';
  const live: IndexedDeadLetter[] = [];
  // First: it is a consistent read, and meanwhile the index receives what was written before the request.
  const underWay = await redrivesIn(client, namespace);
  const present = await selectedDeadLetters(deps, organization, { provider, cause });
  await inTimeSlices(present, (deadLetter) => {
    const { createdVersion } = deadLetter;
    if (isNewer(createdVersion, untilVersion)) untilVersion = createdVersion;
    const state = deadLetterState(deadLetter, resources.get(deadLetter.resource));
    if (state !== 'superseded') live.push(deadLetter);
  });
  const newlyAccepted = (replaced: Redrive | undefined) => {
    const earlier = mergedWith(underWay, replaced);
    return live.filter((each) => !earlier.some((redrive) => accepts(redrive, each))).length;
  };
  if (present.length === 0) return 0;
  if (dryRun) return newlyAccepted(undefined);
  // Superseded ones are included, so that one that only this replica's cache takes for superseded is not lost.
  const asked = { provider, cause, untilVersion };
  return newlyAccepted(await acceptRedrive(client, namespace, asked, newlyAccepted));
}

/** An overwritten redrive counts as it was then; one that ended since the first look had accepted its dead letters, too. */
function mergedWith(
  underWay: readonly Redrive[],
  replaced: Redrive | undefined,
): readonly Redrive[] {
  if (replaced === undefined) return underWay;
  const isOther = ({ provider, cause }: Redrive) =>
    provider !== replaced.provider || cause !== replaced.cause;
  return [...underWay.filter(isOther), replaced];
}
