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
