// Counts members of groups by label, change by change, so that reading the counts costs nothing per member. Pure.

export interface Tally<L extends string> {
  /** Sets the label of a member, replacing its previous label. */
  set(key: string, group: string, label: L): void;
  delete(key: string): void;
  /** Groups that have members. */
  groups(): Iterable<string>;
  count(group: string, label: L): number;
  total(group: string): number;
  /** Changes with every `set` and `delete` of a member of the group; 0 while it has none. */
  version(group: string): number;
}

interface TallyGroup<L> {
  readonly counts: Map<L, Count<L>>;
  total: number;
  version: number;
}

/** The count of the members of a group with a label, which share it. */
interface Count<L> {
  readonly group: string;
  readonly label: L;
  members: number;
}

export function createTally<L extends string>(): Tally<L> {
  const countOf = new Map<string, Count<L>>();
  const groups = new Map<string, TallyGroup<L>>();
  let changes = 0;

  function countFor(group: string, label: L): Count<L> {
    const known = groups.get(group) ?? { counts: new Map<L, Count<L>>(), total: 0, version: 0 };
    groups.set(group, known);
    const count = known.counts.get(label) ?? { group, label, members: 0 };
    known.counts.set(label, count);
    return count;
  }

  function change(count: Count<L>, by: 1 | -1): void {
    const known = groups.get(count.group);
    if (known === undefined) return;
    count.members += by;
    known.total += by;
    changes += 1;
    known.version = changes;
  }

  function leave(count: Count<L> | undefined): void {
    if (count === undefined) return;
    change(count, -1);
    if (groups.get(count.group)?.total === 0) groups.delete(count.group);
  }

  return {
    set(key, group, label) {
      const before = countOf.get(key);
      const count = countFor(group, label);
      countOf.set(key, count);
      change(count, 1);
      leave(before);
    },
    delete(key) {
      const before = countOf.get(key);
      countOf.delete(key);
      leave(before);
    },
    groups: () => groups.keys(),
    count: (group, label) => groups.get(group)?.counts.get(label)?.members ?? 0,
    total: (group) => groups.get(group)?.total ?? 0,
    version: (group) => groups.get(group)?.version ?? 0,
  };
}
