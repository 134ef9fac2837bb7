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

/** The changes of a batch. `fields` changes options or tags, and causes no event. */
export const batchChanges = [
  'create',
  'import',
  'update',
  'replace',
  'retry',
  'fields',
  'none',
] as const;

/**
 * The changes of a set. `join`, `take` and `leave` change the set of a resource, perhaps with other options; `delete`, `orphan` and
 * `unlisted` are for members that the request does not name, and the last one leaves them as they are.
 */
export const setChanges = [
  ...batchChanges,
  'join',
  'take',
  'leave',
  'delete',
  'orphan',
  'unlisted',
] as const;
export type MemberChange = (typeof setChanges)[number];

/** The changes after which the provider receives an event. */
const eventful: readonly MemberChange[] = ['create', 'import', 'update', 'replace', 'retry'];

export function sendsEvent(change: MemberChange): boolean {
  return eventful.includes(change);
}

/** Outcomes of one resource of a batch; `refused` only in the error `set_incomplete`. */
export const memberOutcomes = ['planned', 'applied', 'unchanged', 'refused'] as const;
/** Outcomes of one resource of a set; `not_attempted` only in that error, too. */
export const setOutcomes = [...memberOutcomes, 'not_attempted'] as const;

/** How far the writes of a request for many resources are. */
export interface WriteProgress {
  readonly total: number;
  /** Resources whose write has ended, or was not needed. */
  readonly done: number;
  /** Refused ones among them. */
  readonly refused: number;
}

/** @returns the change of a batch that an apply means */
export function batchChangeOf(change: ApplyPlanned): (typeof batchChanges)[number] {
  return change === 'options' || change === 'tags' ? 'fields' : change;
}
