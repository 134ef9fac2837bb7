// The words of an explanation: what can be a cause, in which state, and what can be done about it.

export const linkKinds = [
  'provider',
  'resource',
  'build',
  'deployment',
  'type',
  'quota',
  'project',
  'organization',
] as const;
export type LinkKind = (typeof linkKinds)[number];

export const linkStates = [
  'draft',
  'pending',
  'processing',
  'ready',
  'failed',
  'refused',
  'missing',
  'other_project',
  'progressing',
  'available',
  'building',
  'success',
  'exhausted',
  'suspended',
] as const;
export type LinkState = (typeof linkStates)[number];

/** Next steps. */
export const actions = [
  'apply',
  'edit',
  'explain',
  'create_project',
  'deploy',
  'delete_users',
  'delete',
  'force_delete',
  'read_build_logs',
  'read_dead_letter',
  'read_logs',
  'push',
  'register_type',
  'set_settings',
  'retry_dead_letters',
  'rollback',
  'ask_administrator',
  'ask_editor',
  'wait',
] as const;
export type Action = (typeof actions)[number];
