// What the record of a resource says about its standing. Pure.
import type { ResourceRecord } from '../../cli/api/bodies.ts';
import { slashed } from '../../domain/identity.ts';
import { canonicalJson } from '../../domain/json.ts';

export type ShownState = ResourceRecord['lifecycle_state'] | 'deleting';

/** @returns the state as the pages show it: a resource in deletion is `deleting` until that fails */
export function stateOf({
  lifecycle_state,
  deletion_requested_at,
}: Pick<ResourceRecord, 'lifecycle_state' | 'deletion_requested_at'>): ShownState {
  const isDeleting = deletion_requested_at !== null && lifecycle_state !== 'failed';
  return isDeleting ? 'deleting' : lifecycle_state;
}

/** @returns whether nothing happens by itself any more */
export function isSettled(record: ResourceRecord): boolean {
  return ['ready', 'failed', 'draft'].includes(stateOf(record));
}

/** @returns whether two records declare the same; the progress of a provider also makes new versions */
export function declaresTheSame(left: ResourceRecord, right: ResourceRecord): boolean {
  return canonicalJson(declarationOf(left)) === canonicalJson(declarationOf(right));
}

function declarationOf({ config, tags, dependencies, lifecycle_state }: ResourceRecord) {
  return {
    config,
    tags: tags ?? [],
    dependencies: dependencies.map(slashed),
    isDraft: lifecycle_state === 'draft',
  };
}
