// The content of a Resource: what its users declare, and its hashes. Pure.
import type { Resource } from '../../crds/resource.ts';
import { contentHash } from '../../domain/lifecycle.ts';
import type { JsonObject } from '../../lib/json.ts';

const hashes = new WeakMap<Resource['spec'], string>();
const declaredHashes = new WeakMap<Resource['spec'], string>();

/** Cached with the object: every cache, count and decision needs it at every change. Specs are never mutated. */
export function contentHashOf(spec: Resource['spec']): string {
  const known = hashes.get(spec);
  if (known !== undefined) return known;
  const hash = contentHash(specContent(spec));
  hashes.set(spec, hash);
  return hash;
}

/** The hash of what an apply declares: without the retry counter, which belongs to the deliveries. */
export function declaredHashOf(spec: Resource['spec']): string {
  if ((spec.retry ?? 0) === 0) return contentHashOf(spec);
  const known = declaredHashes.get(spec);
  if (known !== undefined) return known;
  const hash = contentHash({ ...specContent(spec), retry: 0 });
  declaredHashes.set(spec, hash);
  return hash;
}

export function specContent(spec: Resource['spec']) {
  return {
    lifecycle: spec.lifecycle,
    config: spec.config as JsonObject,
    dependencies: spec.dependencies ?? [],
    retry: spec.retry ?? 0,
    typeVersion: spec.typeVersion,
    adopt: spec.adopt as JsonObject | undefined,
  };
}
