// Compares two JSON Schemas field by field, in the signs of a plan: + added, - removed, ~ changed. Pure.

/** @returns one line for each difference, such as `~ properties.size.maximum: 10 → 20` */
export function schemaChanges(before: unknown, after: unknown): readonly string[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const [left, right] = [old.get(path), now.get(path)];
    if (left === right) return [];
    if (left === undefined) return [`+ ${path}: ${right}`];
    if (right === undefined) return [`- ${path}: ${left}`];
    return [`~ ${path}: ${left} → ${right}`];
  });
}

/** @returns the values that are no objects, as JSON, by their path */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map([[path, JSON.stringify(value)]]);
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return new Map([[path, '{}']]);
  return new Map(
    entries.flatMap(([name, each]) => [...leavesOf(each, path === '' ? name : `${path}.${name}`)]),
  );
}
