// Checks that every failed resource has its dead letter, and every dead letter not marked superseded its failed resource. Follows
// both caches change by change; a read iterates the dead letters once.
import type { Resource } from '../crds/resource.ts';
import type { Informer, Key, ObjectMeta } from '../kube/api.ts';
import {
  type DeadLetterObject,
  fromConfigMap,
  isSuperseded,
} from '../store/dead-letters/object.ts';
import { isDismissed } from '../store/resources/state.ts';
import { frequentWords, other } from './tenant-words.ts';

type FollowedInformer<T extends DeadLetterObject | Resource> = Pick<Informer<T>, 'onChange'>;

interface DeadLetterGroup {
  readonly organization: string;
  /** `other` except for those with the most dead letters. */
  readonly provider: string;
  /** Error code; `other` except for the most frequent ones. */
  readonly reason: string;
  readonly superseded: boolean;
  readonly count: number;
}

interface DeadLetterReport {
  readonly groups: readonly DeadLetterGroup[];
  /** Failure time of the oldest live dead letter, by organization and provider. */
  readonly oldest: readonly {
    readonly organization: string;
    readonly provider: string;
    readonly failedAt: Date;
  }[];
  /** By organization: resources that failed permanently without a dead letter, dismissed ones excluded. */
  readonly failedWithoutDeadLetter: ReadonlyMap<string, number>;
  /** By organization: dead letters without a failed resource that are not yet marked superseded. */
  readonly deadLettersWithoutFailure: ReadonlyMap<string, number>;
}

export interface DeadLetterStatistics {
  read(): DeadLetterReport;
}

interface CountedLetter {
  readonly organization: string;
  readonly provider: string;
  readonly reason: string;
  readonly marked: boolean;
  readonly failedAt: number;
}

export function createDeadLetterStatistics(caches: {
  readonly resources: FollowedInformer<Resource>;
  readonly deadLetters: FollowedInformer<DeadLetterObject>;
}): DeadLetterStatistics {
  const { resources, deadLetters } = caches;
  /** Keys of the required or possible dead letters, by resource. */
  const failures = new Map<Key, CountedFailure>();
  const known = new Map<Key, CountedLetter>();
  resources.onChange((key, _before, resource) => {
    const failure = countedFailure(resource);
    if (failure === undefined) failures.delete(key);
    else failures.set(key, failure);
  });
  deadLetters.onChange((key, _before, object) => {
    const found = knownOf(object);
    if (found === undefined) known.delete(key);
    else known.set(key, found);
  });
  return { read: () => deadLetterReport([...failures.values()], known) };
}

interface CountedFailure {
  /** Key of its dead letter. */
  readonly deadLetter: Key;
  /** True when the dead letter was deleted. */
  readonly isDismissed: boolean;
}

/** @returns the failure of a resource, unless it has moved on since */
function countedFailure(resource: Resource | undefined): CountedFailure | undefined {
  const event = resource?.status?.event;
  if (resource === undefined || event === undefined) return undefined;
  const { namespace = '' }: ObjectMeta = resource.metadata;
  if (isSuperseded({ eventId: event.id }, resource)) return undefined;
  return { deadLetter: `${namespace}/${event.id}`, isDismissed: isDismissed(resource) };
}

function knownOf(object: DeadLetterObject | undefined): CountedLetter | undefined {
  const deadLetter = object === undefined ? undefined : fromConfigMap(object);
  if (deadLetter === undefined) return undefined;
  return {
    organization: deadLetter.resource.namespace,
    provider: deadLetter.provider,
    reason: deadLetter.errorCode,
    marked: deadLetter.marked,
    failedAt: deadLetter.failedAt.getTime(),
  };
}

function deadLetterReport(
  failures: readonly CountedFailure[],
  known: ReadonlyMap<Key, CountedLetter>,
): DeadLetterReport {
  const failed = new Set(failures.map(({ deadLetter }) => deadLetter));
  const failedWithoutDeadLetter = new Map<string, number>();
  const deadLettersWithoutFailure = new Map<string, number>();
  const oldest = new Map<string, CountedLetter>();
  const wordOf = keptWords(known);
  const groups = new Map<string, DeadLetterGroup>();
  for (const { deadLetter, isDismissed: isMeant } of failures) {
    if (isMeant || known.has(deadLetter)) continue;
    raise(failedWithoutDeadLetter, deadLetter.slice(0, deadLetter.indexOf('/')));
  }
  for (const [key, deadLetter] of known) {
    const { organization, marked } = deadLetter;
    const { provider, reason } = wordOf(deadLetter);
    const superseded = !failed.has(key);
    if (superseded && !marked) raise(deadLettersWithoutFailure, organization);
    const id = `${organization}/${provider}/${superseded}/${reason}`;
    const count = (groups.get(id)?.count ?? 0) + 1;
    groups.set(id, { organization, provider, reason, superseded, count });
    if (!superseded) keepOldest(oldest, { ...deadLetter, provider });
  }
  return {
    groups: [...groups.values()],
    oldest: [...oldest.values()].map((each) => ({ ...each, failedAt: new Date(each.failedAt) })),
    failedWithoutDeadLetter,
    deadLettersWithoutFailure,
  };
}

function keepOldest(oldest: Map<string, CountedLetter>, deadLetter: CountedLetter): void {
  const id = `${deadLetter.organization}/${deadLetter.provider}`;
  const found = oldest.get(id);
  if (found === undefined || deadLetter.failedAt < found.failedAt) oldest.set(id, deadLetter);
}

function raise(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** @returns a map from a dead letter to its metric labels: `other` replaces values that are less frequent */
function keptWords(
  known: ReadonlyMap<Key, CountedLetter>,
): (deadLetter: CountedLetter) => Pick<CountedLetter, 'provider' | 'reason'> {
  const providers = frequentWords(known.values(), ({ provider }) => provider);
  const reasons = frequentWords(known.values(), ({ reason }) => reason);
  return ({ organization, provider, reason }) => ({
    provider: providers.get(organization)?.has(provider) === true ? provider : other,
    reason: reasons.get(organization)?.has(reason) === true ? reason : other,
  });
}
