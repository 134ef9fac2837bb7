// "Retry all": makes the leader resend every present dead letter. Each dead letter is counted by one request only.
import type { Resource } from '../../crds/resource.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Organization } from '../../domain/identity.ts';
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import type { StoredDeadLetter } from './object.ts';
import { deadLettersIn } from './pages.ts';
import {
  acceptRedrive,
  accepts,
  type DeadLetterFilter,
  type Redrive,
  redrivesIn,
} from './redrives.ts';
import { standingOf } from './standing.ts';

interface RetryAllDeps {
  readonly client: KubeClient;
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly clock: Clock;
}

export interface RetryAll extends DeadLetterFilter {
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

/** Maximum clock skew of another replica ahead of ours. */
const maxSkewMs = 60_000;

/**
 * @returns how many dead letters are newly accepted: those that a running redrive already resends are excluded
 */
export async function retryAll(
  { client, clock, resources }: RetryAllDeps,
  organization: Organization,
  { provider, cause, dryRun = false }: RetryAll,
): Promise<number> {
  const { namespace } = organization;
  const now = clock.now().getTime();
  let before = now;
  let there = 0;
  const live: Pick<StoredDeadLetter, 'provider' | 'cause' | 'failedAt'>[] = [];
  const underWay = await redrivesIn(client, namespace);
  for await (const deadLetter of deadLettersIn(client, organization, { provider, cause })) {
    there += 1;
    before = Math.max(before, Math.min(deadLetter.failedAt.getTime(), now + maxSkewMs));
    if (standingOf(deadLetter, resources.get(keyFor(deadLetter.resource))) === 'superseded')
      continue;
    live.push({
      provider: deadLetter.provider,
      cause: deadLetter.cause,
      failedAt: deadLetter.failedAt,
    });
  }
  const newlyAccepted = (replaced: Redrive | undefined) => {
    const earlier = mergedWith(underWay, replaced);
    return live.filter((each) => !earlier.some((redrive) => accepts(redrive, each))).length;
  };
  if (there === 0) return 0;
  if (dryRun) return newlyAccepted(undefined);
  // Superseded ones are included, so that one that only this replica's cache takes for superseded is not lost.
  const asked = { provider, cause, before: new Date(before) };
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
