// The objects of the model: organizations, and Resources that are a few numbers each.
import type { Key } from '../../src/kube/api.ts';

export const state = { absent: 0, pending: 1, processing: 2, ready: 3 } as const;
export type State = (typeof state)[keyof typeof state];

export interface World {
  readonly organizations: number;
  /** Number of Resources. */
  readonly size: number;
  /** The organization of each Resource. */
  readonly organizationOf: Int32Array;
  /** Resources of an organization: from the first, up to the first of the next. */
  readonly firstOf: Int32Array;
  /** As stored. */
  readonly states: Uint8Array;
  /** When the client began to apply it, and when it became ready, in milliseconds. */
  readonly begunAt: Float64Array;
  readonly readyAt: Float64Array;
  namespaceOf(organization: number): string;
  keyOf(resource: number): Key;
  resourceOf(key: Key): number;
}

/** @param sizes number of Resources of each organization */
export function createWorld(sizes: readonly number[]): World {
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const organizationOf = new Int32Array(size);
  const firstOf = new Int32Array(sizes.length + 1);
  let next = 0;
  for (const [organization, count] of sizes.entries()) {
    firstOf[organization] = next;
    organizationOf.fill(organization, next, next + count);
    next += count;
  }
  firstOf[sizes.length] = next;
  // As long as the names that Fairlead gives, because their length decides about hashes and memory.
  const namespaces = sizes.map((_, at) => `fl-org-${at}-${at.toString(16).padStart(12, '0')}`);
  const namespaceOf = (organization: number) => namespaces[organization] ?? '';
  return {
    organizations: sizes.length,
    size,
    organizationOf,
    firstOf,
    states: new Uint8Array(size),
    begunAt: new Float64Array(size).fill(Number.NaN),
    readyAt: new Float64Array(size).fill(Number.NaN),
    namespaceOf,
    keyOf: (resource) => `${namespaceOf(organizationOf[resource] ?? 0)}/r-${resource}`,
    resourceOf: (key) => Number(key.slice(key.lastIndexOf('-') + 1)),
  };
}
