// Bounds labels whose words come from tenants: timestamps in names and codes must not become thousands of series.

/** The words of each organization; the rest is `other`. */
const maxWords = 50;
export const other = 'other';

interface OfOrganization {
  /** Namespace of the organization. */
  readonly organization: string;
}

/**
 * For gauges, which are computed anew: every replica keeps the same words.
 * @returns by organization the most frequent words of `all`
 */
export function frequentWords<T extends OfOrganization>(
  all: Iterable<T>,
  wordOf: (one: T) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const counted = new Map<string, Map<string, number>>();
  for (const one of all) {
    const word = wordOf(one);
    const counts = counted.get(one.organization) ?? new Map<string, number>();
    counts.set(word, (counts.get(word) ?? 0) + 1);
    counted.set(one.organization, counts);
  }
  const kept = new Map<string, ReadonlySet<string>>();
  for (const [organization, counts] of counted) {
    const sorted = [...counts].sort(
      ([left, few], [right, many]) => many - few || (left < right ? -1 : 1),
    );
    kept.set(organization, new Set(sorted.slice(0, maxWords).map(([word]) => word)));
  }
  return kept;
}

/**
 * For counters, whose series stay: the first words keep their series.
 * @returns whether a word of an organization is one of its first
 */
export function firstWords(): (organization: string, word: string) => boolean {
  const kept = new Map<string, Set<string>>();
  return (organization, word) => {
    const words = kept.get(organization) ?? new Set();
    kept.set(organization, words);
    if (words.size < maxWords) words.add(word);
    return words.has(word);
  };
}
