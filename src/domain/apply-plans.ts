// The plans of an apply, as its answer to `dry_run=true` names them.

/**
 * `import`: a write whose first event looks for an existing object, and creates none. `retry` sends a failed event again; `replace` a
 * DELETE and then a CREATE; `options` and `tags` cause no event.
 */
export const applyPlans = [
  'create',
  'import',
  'update',
  'replace',
  'retry',
  'options',
  'tags',
  'none',
] as const;
export type ApplyPlanned = (typeof applyPlans)[number];

/**
 * The changes of a batch. `fields` changes options or tags and causes no event; `join`, `take` and `leave` change the set only; `delete`
 * and `orphan` are for members of a set that its request does not name.
 */
export const batchChanges = [
  'create',
  'import',
  'update',
  'replace',
  'retry',
  'fields',
  'join',
  'take',
  'leave',
  'delete',
  'orphan',
  'none',
] as const;
export type BatchChange = (typeof batchChanges)[number];

/** The changes after which the provider receives an event. */
const eventful: readonly BatchChange[] = ['create', 'import', 'update', 'replace', 'retry'];

export function sendsEvent(change: BatchChange): boolean {
  return eventful.includes(change);
}

/** Outcomes of one resource of a batch; `refused` only in the error `set_incomplete`. */
export const memberOutcomes = ['planned', 'applied', 'unchanged', 'refused'] as const;

/** @returns the change of a batch that an apply means */
export function batchChangeOf(change: ApplyPlanned): BatchChange {
  return change === 'options' || change === 'tags' ? 'fields' : change;
}
