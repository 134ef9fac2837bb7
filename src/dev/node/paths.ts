// Maps paths inside a container to real paths. A host process has no mounts, so paths in its arguments and environment are
// replaced; a path that is hardcoded in its code is not. Pure.

/** Maps a path of the container to its real path. */
export interface Mount {
  readonly path: string;
  readonly target: string;
}

/** @returns a function that replaces every mounted path in a text; the longest prefix wins, and only whole names count */
export function pathMapper(mounts: readonly Mount[]): (text: string) => string {
  const targets = new Map<string, string>();
  for (const { path, target } of mounts) {
    const trimmed = path.replace(/\/+$/, '');
    if (trimmed !== '') targets.set(trimmed, target);
  }
  if (targets.size === 0) return (text) => text;
  const longestFirst = [...targets.keys()].sort((a, b) => b.length - a.length);
  // `/data` matches in `--dir=/data/out`, `a:/data` and `file:///data`, not in `/home/data`, `x/data` or `/database`.
  const pattern = new RegExp(
    `(?<=^|[^\\w./-]|file://)(?:${longestFirst.map(escapedPattern).join('|')})(?![\\w.-])`,
    'g',
  );
  return (text) => text.replace(pattern, (path) => targets.get(path) ?? path);
}

function escapedPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
