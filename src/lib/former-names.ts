// Members that have a new name: the former one is still read.

/** Present names, by former ones. */
export type FormerNames = Readonly<Record<string, string>>;

export interface FormerName {
  readonly name: string;
  /** The present name. */
  readonly now: string;
}

interface Renamed<Value> {
  readonly value: Readonly<Record<string, Value>>;
  /** Former names that were used. */
  readonly used: readonly FormerName[];
}

/** @returns the members under their present names; of one that is given under both, the present one */
export function withPresentNames<Value>(
  given: Readonly<Record<string, Value>>,
  former: FormerNames,
): Renamed<Value> {
  const names = Object.entries(former).map(([name, now]) => ({ name, now }));
  const used = names.filter(({ name }) => given[name] !== undefined);
  const renamed = used.map(({ name, now }) => [now, given[name] as Value] as const);
  const others = Object.entries(given).filter(([name]) => former[name] === undefined);
  const present = others.filter(([, value]) => value !== undefined);
  return { value: Object.fromEntries([...renamed, ...present]), used };
}

/** @returns a present name for an error about its value, after the former one under which it was given */
export function nameAsGiven(present: string, used: readonly FormerName[]): string {
  const former = used.find(({ now }) => now === present);
  return former === undefined ? present : `${former.name} (now ${present})`;
}
