// The second law of conservation: every failed resource has its letter, and every letter that is not marked as superseded
// has its failed resource. Follows the caches of both change by change; reading goes once over the letters.
import type { Resource } from '../crds/resource.ts';
import type { Informer, Key, ObjectMeta } from '../kube/api.ts';
import { fromConfigMap, isSuperseded, type LetterObject } from '../store/dead-letters/object.ts';
import { isDismissed } from '../store/resources/state.ts';

type Followed<T extends LetterObject | Resource> = Pick<Informer<T>, 'onChange'>;

export interface LetterGroup {
  readonly organization: string;
  /** `other` beyond those with the most letters. */
  readonly provider: string;
  /** Code of the error; `other` beyond the most frequent ones. */
  readonly reason: string;
  readonly superseded: boolean;
  readonly count: number;
}

export interface LetterReport {
  readonly groups: readonly LetterGroup[];
  /** When the oldest live letter failed, by organization and provider. */
  readonly oldest: readonly {
    readonly organization: string;
    readonly provider: string;
    readonly failedAt: Date;
  }[];
  /** By organization: resources that failed for good and have no letter, those that were dismissed not counted. */
  readonly failedWithoutLetter: ReadonlyMap<string, number>;
  /** By organization: letters that nobody failed with any more, and that are not marked as superseded yet. */
  readonly lettersWithoutFailure: ReadonlyMap<string, number>;
}

export interface LetterCensus {
  read(): LetterReport;
}

interface Known {
  readonly organization: string;
  readonly provider: string;
  readonly reason: string;
  readonly marked: boolean;
  readonly failedAt: number;
}

/** Names and codes are words of tenants: somebody's timestamps must not become thousands of series. */
const mostWords = 50;
const other = 'other';

export function createLetterCensus(caches: {
  readonly resources: Followed<Resource>;
  readonly deadLetters: Followed<LetterObject>;
}): LetterCensus {
  const { resources, deadLetters } = caches;
  /** Keys of letters that there must be, or may be, by resource. */
  const failures = new Map<Key, Failure>();
  const letters = new Map<Key, Known>();
  resources.onChange((key, _before, resource) => {
    const failure = failureIn(resource);
    if (failure === undefined) failures.delete(key);
    else failures.set(key, failure);
  });
  deadLetters.onChange((key, _before, object) => {
    const known = knownOf(object);
    if (known === undefined) letters.delete(key);
    else letters.set(key, known);
  });
  return { read: () => report([...failures.values()], letters) };
}

interface Failure {
  /** Key of its letter. */
  readonly letter: Key;
  /** Whether somebody deleted the letter. */
  readonly isDismissed: boolean;
}

/** @returns what a resource failed with, unless it went on since */
function failureIn(resource: Resource | undefined): Failure | undefined {
  const event = resource?.status?.event;
  if (resource === undefined || event === undefined) return undefined;
  const { name, namespace = '', uid = '' }: ObjectMeta = resource.metadata;
  const letter = {
    resource: { name, namespace, uid },
    eventId: event.id,
    eventType: event.type,
  };
  if (isSuperseded(letter, resource)) return undefined;
  return { letter: `${namespace}/${event.id}`, isDismissed: isDismissed(resource) };
}

function knownOf(object: LetterObject | undefined): Known | undefined {
  const letter = object === undefined ? undefined : fromConfigMap(object);
  if (letter === undefined) return undefined;
  return {
    organization: letter.resource.namespace,
    provider: letter.provider,
    reason: letter.errorCode,
    marked: letter.marked,
    failedAt: letter.failedAt.getTime(),
  };
}

function report(failures: readonly Failure[], letters: ReadonlyMap<Key, Known>): LetterReport {
  const failed = new Set(failures.map(({ letter }) => letter));
  const failedWithoutLetter = new Map<string, number>();
  const lettersWithoutFailure = new Map<string, number>();
  const oldest = new Map<string, Known>();
  const wordOf = keptWords(letters.values());
  const groups = new Map<string, LetterGroup>();
  for (const { letter, isDismissed: isMeant } of failures) {
    if (isMeant || letters.has(letter)) continue;
    raise(failedWithoutLetter, letter.slice(0, letter.indexOf('/')));
  }
  for (const [key, letter] of letters) {
    const { organization, marked } = letter;
    const { provider, reason } = wordOf(letter);
    const superseded = !failed.has(key);
    if (superseded && !marked) raise(lettersWithoutFailure, organization);
    const id = `${organization}/${provider}/${superseded}/${reason}`;
    const count = (groups.get(id)?.count ?? 0) + 1;
    groups.set(id, { organization, provider, reason, superseded, count });
    if (!superseded) keepOldest(oldest, { ...letter, provider });
  }
  return {
    groups: [...groups.values()],
    oldest: [...oldest.values()].map((each) => ({ ...each, failedAt: new Date(each.failedAt) })),
    failedWithoutLetter,
    lettersWithoutFailure,
  };
}

function keepOldest(oldest: Map<string, Known>, letter: Known): void {
  const id = `${letter.organization}/${letter.provider}`;
  const known = oldest.get(id);
  if (known === undefined || letter.failedAt < known.failedAt) oldest.set(id, letter);
}

function raise(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** @returns what a letter's provider and reason are called: `other`, where more letters of the organization have other ones */
function keptWords(
  letters: Iterable<Known>,
): (letter: Known) => Pick<Known, 'provider' | 'reason'> {
  const all = [...letters];
  const providers = frequent(all, ({ provider }) => provider);
  const reasons = frequent(all, ({ reason }) => reason);
  return ({ organization, provider, reason }) => ({
    provider: providers.get(organization)?.has(provider) === true ? provider : other,
    reason: reasons.get(organization)?.has(reason) === true ? reason : other,
  });
}

/** @returns by organization the words that most of its letters have */
function frequent(
  letters: readonly Known[],
  wordOf: (letter: Known) => string,
): Map<string, ReadonlySet<string>> {
  const counted = new Map<string, Map<string, number>>();
  for (const letter of letters) {
    const counts = counted.get(letter.organization) ?? new Map<string, number>();
    raise(counts, wordOf(letter));
    counted.set(letter.organization, counts);
  }
  const kept = new Map<string, ReadonlySet<string>>();
  for (const [organization, counts] of counted) {
    const sorted = [...counts].sort(
      ([left, few], [right, many]) => many - few || (left < right ? -1 : 1),
    );
    kept.set(organization, new Set(sorted.slice(0, mostWords).map(([word]) => word)));
  }
  return kept;
}
