// Replaces the steps that a caller may not take by whom to ask. Pure.
import type { ProtectedId } from '../../api/operations.ts';
import type { Role } from '../../api/roles.ts';
import type { NextAction } from '../../domain/explanation.ts';
import type { NextStep } from '../facts.ts';

/** The operation of the API that takes each step; none for those that people take elsewhere. */
export const operationOf = {
  apply: 'applyResource',
  apply_actual: 'applyResource',
  correct: 'correctResource',
  observe: 'observeResource',
  release_corrections: 'releaseCorrections',
  edit: 'applyResource',
  explain: 'explainResource',
  create_project: 'createProject',
  deploy: 'deployProvider',
  delete_users: 'deleteResource',
  delete: 'deleteResource',
  force_delete: 'deleteResource',
  orphan: 'deleteResource',
  push: 'pushCode',
  read_build_logs: 'getBuildLogs',
  read_dead_letter: 'getDeadLetter',
  read_logs: 'getProviderLogs',
  register_type: 'registerType',
  retry_dead_letters: 'retryAllDeadLetters',
  replace: 'applyResource',
  resume: 'updateResource',
  rollback: 'rollbackProvider',
  unprotect: 'updateResource',
  set_settings: 'updateProviderSettings',
  ask_administrator: undefined,
  ask_editor: undefined,
  wait: undefined,
} as const satisfies Readonly<Record<NextAction, ProtectedId | undefined>>;

type StepOperation = Exclude<(typeof operationOf)[NextAction], undefined>;

export interface Rights {
  readonly may: (operation: StepOperation) => boolean;
  /** @returns the lowest role that may */
  readonly roleFor: (operation: StepOperation) => Role;
}

/** @returns the steps that the caller may take, and at most one for each person to ask; never none if there was one */
export function permitted(steps: readonly NextStep[], rights: Rights): readonly NextStep[] {
  const asked = new Set<NextAction>();
  const shown = steps.flatMap((step): readonly NextStep[] => {
    const operation = operationOf[step.do];
    if (operation === undefined || rights.may(operation)) return [step];
    const role = rights.roleFor(operation);
    // A caller who may read less than a viewer is confined to a project; others have the log.
    if (role === 'viewer') return [];
    const instead = role === 'editor' ? 'ask_editor' : 'ask_administrator';
    if (asked.has(instead)) return [];
    asked.add(instead);
    return [askFor(step, instead)];
  });
  if (shown.length > 0 || steps.length === 0) return shown;
  return [{ do: 'ask_administrator', why: 'A member of the organization sees what failed' }];
}

function askFor(
  { why, resource, provider }: NextStep,
  instead: 'ask_editor' | 'ask_administrator',
) {
  const who = instead === 'ask_editor' ? 'an editor' : 'an admin';
  return {
    do: instead,
    why: `${why}; ask ${who} of the organization`,
    ...(resource !== undefined && { resource }),
    ...(provider !== undefined && { provider }),
  };
}
