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

interface Group<L> {
  readonly counts: Map<L, number>;
  total: number;
  version: number;
}

interface Member<L> {
  readonly group: string;
  readonly label: L;
}

export function createTally<L extends string>(): Tally<L> {
  const members = new Map<string, Member<L>>();
  const groups = new Map<string, Group<L>>();
  let changes = 0;

  function change({ group, label }: Member<L>, by: 1 | -1): void {
    const known = groups.get(group) ?? { counts: new Map<L, number>(), total: 0, version: 0 };
    known.counts.set(label, (known.counts.get(label) ?? 0) + by);
    known.total += by;
    changes += 1;
    known.version = changes;
    if (known.total === 0) groups.delete(group);
    else groups.set(group, known);
  }

  function remove(key: string): void {
    const known = members.get(key);
    if (known === undefined) return;
    members.delete(key);
    change(known, -1);
  }

  return {
    set(key, group, label) {
      remove(key);
      const member = { group, label };
      members.set(key, member);
      change(member, 1);
    },
    delete: remove,
    groups: () => groups.keys(),
    count: (group, label) => groups.get(group)?.counts.get(label) ?? 0,
    total: (group) => groups.get(group)?.total ?? 0,
    version: (group) => groups.get(group)?.version ?? 0,
  };
}
