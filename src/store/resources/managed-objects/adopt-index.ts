// Indexes resources by what their `adopt` identifies, from the cache of Resources. An `adopt` may be as large as a config, so its digest
// is made once for each spec, and lookups compare digests. The index is as old as the cache, except for calls of `note`.
import type { Resource } from '../../../crds/resource.ts';
import { halfSha256Hex, projectIdOf, type ResourceTuple } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { type Informer, type Key, keyFor } from '../../../kube/api.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';

/** A resource with an `adopt`. */
export interface Importer extends ResourceTuple {
  readonly key: Key;
  readonly projectId: string;
}

/** The content of an `adopt`, in the namespace of an organization and of a type. */
interface Adopted extends Omit<ResourceTuple, 'name'> {
  readonly namespace: string;
  readonly adopt: JsonObject;
}

/** Drafts are apart: they stand for nothing, and there may be any number of them. */
export interface AdoptIndex {
  /** Committed resources whose `adopt` is equal. */
  importersOf(adopted: Adopted): readonly Importer[];
  /** A draft whose `adopt` is equal. */
  draftOf(adopted: Adopted): Importer | undefined;
  /** Other committed resources with the `adopt` of this one. */
  othersLike(key: Key): readonly Importer[];
  /** Adds at once what was just written, before the cache receives it. */
  note(resource: Resource): void;
}

interface IndexedImporter extends Importer {
  readonly uid: string | undefined;
  readonly generation: number;
  /** Equal for all resources with an equal `adopt`. */
  readonly at: string;
  /** Entries with an equal `adopt` that are drafts as well, or that are none. */
  readonly group: Map<string, Set<IndexedImporter>>;
}

export function createAdoptIndex(resources: Pick<Informer<Resource>, 'onChange'>): AdoptIndex {
  const entries = new Map<Key, IndexedImporter>();
  const committed = new Map<string, Set<IndexedImporter>>();
  const drafts = new Map<string, Set<IndexedImporter>>();

  function forget(key: Key): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    const like = entry.group.get(entry.at);
    like?.delete(entry);
    if (like?.size === 0) entry.group.delete(entry.at);
  }

  function take(key: Key, stored: Resource): void {
    const { metadata, spec } = stored;
    const { namespace = '', uid, generation = 0 } = metadata;
    const known = entries.get(key);
    // Every status write is a change too, and only another spec can have another adopt.
    if (known !== undefined && known.uid === uid && known.generation >= generation) return;
    forget(key);
    if (spec.adopt === undefined) return;
    const { provider, resource, name, lifecycle } = spec;
    const projectId = projectIdOf(stored);
    const group = lifecycle === Lifecycle.Draft ? drafts : committed;
    const at = adoptKey({ namespace, provider, resource, adopt: spec.adopt as JsonObject });
    const entry = { key, provider, resource, name, projectId, uid, generation, at, group };
    entries.set(key, entry);
    group.set(at, (group.get(at) ?? new Set()).add(entry));
  }

  resources.onChange((key, _before, after) => {
    if (after === undefined) forget(key);
    else take(key, after);
  });

  const committedAt = (at: string) => [...(committed.get(at) ?? [])];
  return {
    importersOf: (adopted) => committedAt(adoptKey(adopted)),
    draftOf: (adopted) => drafts.get(adoptKey(adopted))?.values().next().value,
    othersLike(key) {
      const entry = entries.get(key);
      return entry === undefined ? [] : committedAt(entry.at).filter((each) => each !== entry);
    },
    note: (resource) => take(keyFor(resource.metadata), resource),
  };
}

function adoptKey({ namespace, provider, resource, adopt }: Adopted): string {
  return `${namespace}/${provider}/${resource}/${halfSha256Hex(canonicalJson(adopt))}`;
}
