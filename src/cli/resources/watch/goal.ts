// Decides whether a resource has reached what a command waits for. Pure.

import type { ResourceRecord } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import { dependenciesOf } from '../../../domain/references/references.ts';
import { canonicalJson } from '../../../lib/json.ts';

export const goals = ['ready', 'failed', 'deleted', 'settled'] as const;
export type Goal = (typeof goals)[number];

/** `missed`: it cannot be reached without a change to another object. */
export type Verdict = 'reached' | 'missed' | 'waiting';

/** @param record undefined when the resource does not exist */
export function verdictOf(goal: Goal, record: ResourceRecord | undefined): Verdict {
  if (record === undefined) return goal === 'deleted' ? 'reached' : 'missed';
  const { lifecycle_state: state, deletion_requested_at } = record;
  if (goal === 'deleted') return deletionVerdict(record);
  if (deletion_requested_at !== null) return 'missed';
  if (state === 'pending' || state === 'processing') return 'waiting';
  if (goal === 'settled') return state === 'failed' ? 'missed' : 'reached';
  return state === goal ? 'reached' : 'missed';
}

function deletionVerdict({ lifecycle_state, deletion_requested_at }: ResourceRecord): Verdict {
  return deletion_requested_at !== null && lifecycle_state === 'failed' ? 'missed' : 'waiting';
}

/**
 * Returns whether a record is older than the answer to an apply, as that of a replica that lags behind may be. Times alone do not
 * tell, because the clocks of replicas differ.
 */
export function isOlder(record: ResourceRecord, applied: ResourceRecord | undefined): boolean {
  if (applied === undefined) return false;
  if (record.updated_at < applied.updated_at) return true;
  return canonicalJson(record.config) !== canonicalJson(applied.config);
}

/** The reasons of pending resources that need a change to another resource. */
const blocks: readonly string[] = [
  'DependencyFailed',
  'DependencyMissing',
  'DependencyDraft',
  'DependencyInOtherProject',
  'DependencyCycle',
  'TypeNotRegistered',
  'TypeRetired',
  'Paused',
  'Protected',
  'ImmutableField',
  // A resource that is only observed: somebody has to create its object.
  'NotFound',
];

/**
 * Returns whether resources go on only when another one is changed: each is pending, and something blocks it or, among them,
 * what it uses.
 */
export function areBlocked(records: readonly ResourceRecord[]): boolean {
  const blocked = new Set<string>();
  for (let before = -1; before < blocked.size; ) {
    before = blocked.size;
    for (const record of records) if (isBlocked(record, blocked)) blocked.add(slashed(record));
  }
  return blocked.size === records.length;
}

function isBlocked(record: ResourceRecord, blocked: ReadonlySet<string>): boolean {
  if (record.lifecycle_state !== 'pending') return false;
  return blocks.includes(record.reason) || dependencyRefs(record).some((ref) => blocked.has(ref));
}

function dependencyRefs({ config, dependencies }: ResourceRecord): readonly string[] {
  return dependenciesOf({ config, dependencies: [] })
    .concat(dependencies.map(({ provider, resource, name }) => ({ provider, resource, name })))
    .map(slashed);
}
