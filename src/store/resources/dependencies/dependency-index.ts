// Indexes the users of each resource, declared or by reference, from the cache of Resources. Only resources of one namespace
// are related; callers check projects. It is as old as the cache, except for calls of `note`.
import type { Resource } from '../../../crds/resource.ts';
import {
  keyOf,
  objectNameOf,
  projectIdOf,
  type ResourceTuple,
  slashed,
} from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import { dependenciesOf } from '../../../domain/references/references.ts';
import { type Informer, type Key, keyFor, refOf } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';

type PathStart = ResourceTuple & { readonly projectId: string };

interface PathChanges {
  readonly dependencies?: readonly Dependency[] | undefined;
  readonly planned?: ReadonlyMap<Key, Resource> | undefined;
}

export interface DependencyIndex {
  /** Keys of the resources that depend on one, which itself need not exist. */
  usersOf(key: Key): Iterable<Key>;
  dependenciesOf(key: Key): readonly Dependency[];
  /** @returns the project of a resource; undefined when there is none */
  projectIdOf(key: Key): string | undefined;
  /**
   * @param start dependencies of resources in other projects do not count
   * @param instead what replaces present dependencies: of `start`, and of resources that the same request writes
   * @returns slashed names along a cycle through `start`, the first again as the last; undefined when there is none
   */
  cycleThrough(
    namespace: string,
    start: PathStart,
    instead?: PathChanges,
  ): readonly string[] | undefined;
  /** Adds at once what was just read or written, before the cache receives it. */
  note(resource: Resource): void;
}

interface IndexedDependent {
  readonly projectId: string;
  readonly uid: string | undefined;
  readonly generation: number;
  readonly dependencies: readonly Dependency[];
}

const nothing: readonly never[] = [];

/** @returns the key of a resource, whether it exists or not */
export function resourceKeyOf(namespace: string, tuple: ResourceTuple): Key {
  return keyFor({ namespace, name: objectNameOf(keyOf(tuple)) });
}

export function createDependencyIndex(
  resources: Pick<Informer<Resource>, 'onChange'>,
): DependencyIndex {
  const entries = new Map<Key, IndexedDependent>();
  const users = new Map<Key, Set<Key>>();

  function forget(key: Key, namespace: string): void {
    for (const dependency of entries.get(key)?.dependencies ?? nothing) {
      const on = resourceKeyOf(namespace, dependency);
      const known = users.get(on);
      known?.delete(key);
      if (known?.size === 0) users.delete(on);
    }
    entries.delete(key);
  }

  function learn(key: Key, namespace: string, entry: IndexedDependent): void {
    entries.set(key, entry);
    for (const dependency of entry.dependencies) {
      const on = resourceKeyOf(namespace, dependency);
      users.set(on, (users.get(on) ?? new Set()).add(key));
    }
  }

  function take(key: Key, resource: Resource): void {
    const { namespace = '', uid, generation = 0 } = resource.metadata;
    const known = entries.get(key);
    // Every status write is a change too, and only another spec can have other dependencies.
    if (known !== undefined && known.uid === uid && known.generation >= generation) return;
    const found = ofContent(resource);
    forget(key, namespace);
    // Most have none, and share this list.
    const shared = found.length === 0 ? nothing : found;
    const projectId = projectIdOf(resource);
    learn(key, namespace, { projectId, uid, generation, dependencies: shared });
  }

  resources.onChange((key, _before, after) => {
    if (after === undefined) forget(key, refOf(key).namespace ?? '');
    else take(key, after);
  });

  return {
    usersOf: (key) => users.get(key) ?? nothing,
    dependenciesOf: (key) => entries.get(key)?.dependencies ?? nothing,
    projectIdOf: (key) => entries.get(key)?.projectId,
    cycleThrough: (namespace, start, instead) =>
      cycleThrough(entries, namespace, { start, ...instead }),
    note: (resource) => take(keyFor(resource.metadata), resource),
  };
}

function ofContent({ spec: { dependencies, config } }: Resource): readonly Dependency[] {
  return dependenciesOf({ dependencies, config: config as JsonObject });
}

/** Depth first, each resource once: a dead end from one path is a dead end from every other. */
function cycleThrough(
  entries: ReadonlyMap<Key, IndexedDependent>,
  namespace: string,
  { start, dependencies, planned }: PathChanges & { readonly start: PathStart },
): readonly string[] | undefined {
  const on = (key: Key) => {
    const next = planned?.get(key);
    if (next !== undefined)
      return projectIdOf(next) === start.projectId ? ofContent(next) : nothing;
    const { projectId, dependencies: found = nothing } = entries.get(key) ?? {};
    return projectId === start.projectId ? found : nothing;
  };
  const goal = resourceKeyOf(namespace, start);
  const seen = new Set<Key>();
  const path: { tuple: ResourceTuple; left: Iterator<Dependency> }[] = [
    { tuple: start, left: (dependencies ?? on(goal)).values() },
  ];
  for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
    const { done, value } = here.left.next();
    if (done === true) {
      path.pop();
      continue;
    }
    const key = resourceKeyOf(namespace, value);
    if (key === goal) return [...path.map(({ tuple }) => slashed(tuple)), slashed(start)];
    if (seen.has(key)) continue;
    seen.add(key);
    path.push({ tuple: value, left: on(key).values() });
  }
  return undefined;
}
