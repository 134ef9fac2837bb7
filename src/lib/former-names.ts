// Members that have a new name: the former one is read for one release.

/** By their former names. */
export type FormerNames = Readonly<Record<string, string>>;

interface Renamed<Value> {
  readonly value: Readonly<Record<string, Value>>;
  /** Former names that were used. */
  readonly used: readonly string[];
}

/** @returns the members under their present names; of one that is given under both, the present one */
export function withPresentNames<Value>(
  given: Readonly<Record<string, Value>>,
  former: FormerNames,
): Renamed<Value> {
  const used = Object.keys(former).filter((name) => given[name] !== undefined);
  const renamed = used.map((name) => [former[name] ?? name, given[name] as Value] as const);
  const others = Object.entries(given).filter(([name]) => !used.includes(name));
  return { value: Object.fromEntries([...renamed, ...others]), used };
}
