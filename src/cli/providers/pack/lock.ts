// Derives the lock file of an archive from that of a folder or a workspace: of what a provider needs, with tarballs instead of links.
// Every package keeps its version, and stands where its dependents find it.
import { indentedJson, jsonIn } from '../../../lib/json.ts';
import { sdk } from './local-packages.ts';

export interface LockEntry {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: LockDependencies;
  readonly optionalDependencies?: LockDependencies;
  readonly devDependencies?: LockDependencies;
  readonly peerDependencies?: LockDependencies;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [member: string]: unknown;
}

type LockDependencies = Readonly<Record<string, string>>;
type Entries = Readonly<Record<string, LockEntry>>;

interface LockOptions {
  /** Path of the provider in the lock file; empty when it is its own. */
  readonly start: string;
  /** The manifest of the provider in the archive. */
  readonly manifest: LockEntry;
  /** @returns the entry of a package that travels in the archive; undefined for one of a registry. @param at path in the lock file */
  readonly local: (at: string, entry: LockEntry) => LockEntry | undefined;
}

/** @returns undefined when the lock file is too old, or lacks a package */
export function derivedLock(text: string, options: LockOptions): string | undefined {
  const { packages } = (jsonIn(text) ?? {}) as { readonly packages?: Entries };
  if (packages?.[options.start] === undefined) return undefined;
  const derived = derive(packages, options);
  if (derived === undefined) return undefined;
  const { name, version } = options.manifest;
  const lock = { name, version, lockfileVersion: 3, requires: true, packages: derived };
  return indentedJson(lock);
}

/** A package in both lock files. */
interface LockedPackage {
  /** Path in the derived lock file. */
  readonly at: string;
  /** Path in the original one. */
  readonly source: string;
}

class MissingPackage extends Error {}

/** Breadth first, as npm places: direct dependencies are at the top. */
function derive(packages: Entries, { start, manifest, local }: LockOptions): Entries | undefined {
  const derived: Record<string, LockEntry> = { '': manifest };
  const sources = new Map([['', start]]);
  /** @returns what it added */
  const add = ({ at }: LockedPackage, name: string, from: string): readonly LockedPackage[] => {
    const present = resolve(derived, at, name, false);
    if (present !== undefined && sources.get(present) === from) return [];
    const path = modulesPath(present === undefined ? '' : at, name);
    const entry = packages[from] ?? {};
    derived[path] = local(from, entry) ?? entry;
    sources.set(path, from);
    return [{ at: path, source: from }];
  };
  const dependenciesOf = (each: LockedPackage): readonly LockedPackage[] =>
    [...neededBy(packages[each.source] ?? {}, each.at === '')].flatMap(([name, isOptional]) => {
      const from = resolve(packages, each.source, name);
      if (from !== undefined) return add(each, name, from);
      if (isOptional) return [];
      throw new MissingPackage();
    });
  try {
    for (let level: readonly LockedPackage[] = [{ at: '', source: start }]; level.length > 0; ) {
      level = level.flatMap(dependenciesOf);
    }
    return derived;
  } catch (thrown) {
    if (thrown instanceof MissingPackage) return undefined;
    throw thrown;
  }
}

function modulesPath(at: string, name: string): string {
  return `${at === '' ? '' : `${at}/`}node_modules/${name}`;
}

/** @returns names, and whether the tree is right without the package */
function neededBy(entry: LockEntry, isProvider: boolean): ReadonlyMap<string, boolean> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entry;
  const needed = new Map<string, boolean>();
  for (const name of Object.keys(peerDependencies ?? {})) {
    needed.set(name, peerDependenciesMeta?.[name]?.optional === true);
  }
  for (const name of Object.keys(optionalDependencies ?? {})) needed.set(name, true);
  const required = { ...dependencies, ...(isProvider ? entry.devDependencies : {}) };
  for (const name of Object.keys(required)) needed.set(name, false);
  needed.delete(sdk);
  return new Map([...needed].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Where Node.js finds a package from another one. @param follows whether the target of a link is the answer */
function resolve(entries: Entries, from: string, name: string, follows = true): string | undefined {
  for (let at = from; ; at = above(at)) {
    const path = modulesPath(at, name);
    const entry = entries[path];
    if (entry !== undefined) return follows && entry.link === true ? entry.resolved : path;
    if (at === '') return undefined;
  }
}

/** @returns the folder around a package or a folder */
function above(path: string): string {
  return path.replace(/(?:^|\/)(?:node_modules\/(?:@[^/]+\/)?)?[^/]+$/, '');
}
