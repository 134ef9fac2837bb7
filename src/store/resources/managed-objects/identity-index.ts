// Indexes resources by the objects that they stand for, from the cache of Resources: by the identity in their outputs, or else by that of
// their `adopt`. Lookups compare digests. The index is as old as the cache, except for calls of `note`. Another declaration of a type
// applies from the next lookup on, which indexes the resources of the type again.
import type { Resource } from '../../../crds/resource.ts';
import { projectIdOf, type ResourceTuple } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import type { ObjectIdentity } from '../../../domain/objects/identity.ts';
import { digestOf, identityDigest } from '../../../domain/objects/identity-digest.ts';
import { type Informer, type Key, keyFor } from '../../../kube/api.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { hasFoundOther } from './precedence.ts';
import { ownIdentity, type TypeIdentities } from './type-identities.ts';

/** A resource that stands for an object. */
export interface Claimant extends ResourceTuple {
  readonly key: Key;
  readonly projectId: string;
}

/** A type in the namespace of an organization. */
export interface NamespacedType extends Omit<ResourceTuple, 'name'> {
  readonly namespace: string;
}

/** Drafts are apart: they stand for nothing, and there may be any number of them. */
export interface IdentityIndex {
  /** @returns the identity of what an `adopt` identifies */
  ofAdopt(type: NamespacedType, adopt: JsonObject): string;
  /** @returns undefined when the type has no identity, or the outputs lack it */
  ofOutputs(type: NamespacedType, outputs: JsonObject): string | undefined;
  /** @returns that of the object that a resource stands for, or would; undefined when it has none yet */
  of(resource: Resource): string | undefined;
  /** Committed resources that stand for the object of an identity. */
  claimantsOf(type: NamespacedType, identity: string): readonly Claimant[];
  /** A draft that would import the object. */
  draftOf(type: NamespacedType, identity: string): Claimant | undefined;
  /** Other committed resources that stand for the object of this one. */
  othersLike(type: NamespacedType, key: Key): readonly Claimant[];
  /** Adds at once what was just written, before the cache receives it. */
  note(resource: Resource): void;
}

interface IndexedClaimant extends Claimant {
  /** Equal for all resources of one object. */
  readonly at: string;
  /** Entries of the same object that stand for it, or would, in the same way. */
  readonly group: Map<string, Set<IndexedClaimant>>;
}

/** The resources of a type, and how they were indexed. */
interface IndexedType {
  declared: string;
  readonly resources: Map<Key, Resource>;
}

export function createIdentityIndex(
  resources: Pick<Informer<Resource>, 'onChange'>,
  identities: TypeIdentities,
): IdentityIndex {
  const entries = new Map<Key, IndexedClaimant>();
  const committed = new Map<string, Set<IndexedClaimant>>();
  const drafts = new Map<string, Set<IndexedClaimant>>();
  const refused = new Map<string, Set<IndexedClaimant>>();
  const types = new Map<string, IndexedType>();

  function forget(key: Key): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    const like = entry.group.get(entry.at);
    like?.delete(entry);
    if (like?.size === 0) entry.group.delete(entry.at);
  }

  function index(key: Key, stored: Resource, declared: ObjectIdentity | undefined): void {
    forget(key);
    const identity = identityIn(stored, declared);
    if (identity === undefined) return;
    const { provider, resource, name, lifecycle } = stored.spec;
    const group =
      lifecycle === Lifecycle.Draft ? drafts : hasFoundOther(stored) ? refused : committed;
    const at = placeOf(namespacedTypeOf(stored), identity);
    const projectId = projectIdOf(stored);
    const entry = { key, provider, resource, name, projectId, at, group };
    entries.set(key, entry);
    group.set(at, (group.get(at) ?? new Set()).add(entry));
  }

  function typeFor(type: NamespacedType): IndexedType {
    const at = placeOf(type);
    const known = types.get(at);
    if (known !== undefined) return known;
    const added = { declared: textOf(identities.of(type)), resources: new Map() };
    types.set(at, added);
    return added;
  }

  /** @returns the declaration by which the resources of the type are indexed now */
  function current(type: NamespacedType): ObjectIdentity | undefined {
    const declared = identities.of(type);
    const text = textOf(declared);
    const indexed = types.get(placeOf(type));
    if (indexed !== undefined && indexed.declared !== text) {
      indexed.declared = text;
      for (const [key, stored] of indexed.resources) index(key, stored, declared);
    }
    return declared;
  }

  function take(key: Key, stored: Resource): void {
    const type = namespacedTypeOf(stored);
    const indexed = typeFor(type);
    const known = indexed.resources.get(key);
    if (known !== undefined && isOlder(stored, known)) return;
    if (known !== undefined) keepDigest(known, stored);
    indexed.resources.set(key, stored);
    index(key, stored, current(type));
  }

  function drop(key: Key, { metadata, spec }: Resource): void {
    const at = placeOf(namespacedTypeOf({ metadata, spec }));
    const indexed = types.get(at);
    indexed?.resources.delete(key);
    if (indexed?.resources.size === 0) types.delete(at);
    forget(key);
  }

  resources.onChange((key, before, after) => {
    if (after !== undefined) take(key, after);
    else if (before !== undefined) drop(key, before);
  });

  const committedAt = (at: string) => [...(committed.get(at) ?? [])];
  return {
    ofAdopt: (type, adopt) => adoptIdentity(identities.of(type), adopt),
    ofOutputs(type, outputs) {
      const declared = identities.of(type);
      return declared && identityDigest(declared.outputs, outputs);
    },
    of: (resource) => identityIn(resource, identities.of(namespacedTypeOf(resource))),
    claimantsOf(type, identity) {
      current(type);
      return committedAt(placeOf(type, identity));
    },
    draftOf(type, identity) {
      current(type);
      return drafts.get(placeOf(type, identity))?.values().next().value;
    },
    othersLike(type, key) {
      // A resource that was received before its type has no entry yet.
      current(type);
      const entry = entries.get(key);
      return entry === undefined ? [] : committedAt(entry.at).filter((each) => each !== entry);
    },
    note: (resource) => take(keyFor(resource.metadata), resource),
  };
}

/** The cache may receive an older state than what was noted. */
function isOlder({ metadata: one }: Resource, { metadata: other }: Resource): boolean {
  return one.uid === other.uid && (one.generation ?? 0) < (other.generation ?? 0);
}

function identityIn(
  { spec, status }: Resource,
  declared: ObjectIdentity | undefined,
): string | undefined {
  const own = declared && ownIdentity(status, declared);
  if (own !== undefined || spec.adopt === undefined) return own;
  return adoptIdentity(declared, spec.adopt as JsonObject);
}

/** An `adopt` that lacks the identity, as an earlier form of it may, is one as a whole. */
function adoptIdentity(declared: ObjectIdentity | undefined, adopt: JsonObject): string {
  return (declared && identityDigest(declared.adopt, adopt)) ?? wholeAdopt(adopt);
}

const digests = new WeakMap<JsonObject, string>();

/** It may be as large as a config, and every status write is a change of its resource. */
function wholeAdopt(adopt: JsonObject): string {
  const known = digests.get(adopt) ?? digestOf(adopt);
  digests.set(adopt, known);
  return known;
}

/** Another spec alone can have another `adopt`. */
function keepDigest({ metadata: before, spec: { adopt: kept } }: Resource, after: Resource): void {
  const { metadata, spec } = after;
  const isSame = before.uid === metadata.uid && before.generation === metadata.generation;
  const digest = isSame && kept !== undefined ? digests.get(kept as JsonObject) : undefined;
  if (digest !== undefined && spec.adopt !== undefined) {
    digests.set(spec.adopt as JsonObject, digest);
  }
}

export function namespacedTypeOf({
  metadata,
  spec,
}: Pick<Resource, 'metadata' | 'spec'>): NamespacedType {
  const { namespace = '' } = metadata;
  return { namespace, provider: spec.provider, resource: spec.resource };
}

/** None of the names has a slash. */
function placeOf({ namespace, provider, resource }: NamespacedType, identity = ''): string {
  return `${namespace}/${provider}/${resource}/${identity}`;
}

function textOf(declared: ObjectIdentity | undefined): string {
  return declared === undefined ? '' : canonicalJson(declared as unknown as JsonObject);
}
