// Maps each operation to the roles that may call it. An operation that is missing from the table does not compile.
import { ErrorCode, FairleadError } from '../../domain/errors.ts';

/** In ascending order: each role includes the rights of the roles before it. */
export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

export interface Rule {
  readonly role: Role;
  /** True if a platform token, confined to one project, may call it; the route restricts it to that project. */
  readonly platform: boolean;
}

const everywhere = { platform: false } as const;
const inProject = { platform: true } as const;

const rules = {
  getMe: { role: 'viewer', ...everywhere },
  listProjects: { role: 'viewer', ...everywhere },
  getProject: { role: 'viewer', ...inProject },
  createProject: { role: 'admin', ...everywhere },
  updateProject: { role: 'admin', ...everywhere },
  deleteProject: { role: 'admin', ...everywhere },
  listResources: { role: 'viewer', ...inProject },
  getResource: { role: 'viewer', ...inProject },
  explainResource: { role: 'viewer', ...inProject },
  listExplanations: { role: 'viewer', ...inProject },
  listResourceEvents: { role: 'viewer', ...inProject },
  listResourceHistory: { role: 'viewer', ...inProject },
  getResourceRevision: { role: 'viewer', ...inProject },
  applyResource: { role: 'editor', ...inProject },
  deleteResource: { role: 'editor', ...inProject },
  listTypes: { role: 'viewer', ...everywhere },
  registerType: { role: 'admin', ...everywhere },
  unregisterType: { role: 'admin', ...everywhere },
  listProviders: { role: 'viewer', ...everywhere },
  listBuilds: { role: 'viewer', ...everywhere },
  getBuild: { role: 'viewer', ...everywhere },
  getBuildLogs: { role: 'viewer', ...everywhere },
  getProviderLogs: { role: 'viewer', ...everywhere },
  getDeployment: { role: 'viewer', ...everywhere },
  pushCode: { role: 'admin', ...everywhere },
  deployProvider: { role: 'admin', ...everywhere },
  rollbackProvider: { role: 'admin', ...everywhere },
  deleteProvider: { role: 'admin', ...everywhere },
  getProviderSettings: { role: 'viewer', ...everywhere },
  replaceProviderSettings: { role: 'admin', ...everywhere },
  updateProviderSettings: { role: 'admin', ...everywhere },
  deleteProviderSetting: { role: 'admin', ...everywhere },
  listDeadLetters: { role: 'viewer', ...everywhere },
  getDeadLetter: { role: 'viewer', ...everywhere },
  retryDeadLetter: { role: 'editor', ...everywhere },
  retryAllDeadLetters: { role: 'editor', ...everywhere },
  getRedrive: { role: 'viewer', ...everywhere },
  deleteDeadLetter: { role: 'editor', ...everywhere },
  deleteDeadLetters: { role: 'editor', ...everywhere },
  listReceipts: { role: 'viewer', ...everywhere },
  deleteReceipt: { role: 'editor', ...everywhere },
} as const satisfies Record<string, Rule>;

export type Operation = keyof typeof rules;

/** @returns the lowest role that may perform an operation, and whether a token confined to one project may */
export function ruleOf(operation: Operation): Rule {
  return rules[operation];
}

export interface Holder {
  readonly role: Role;
  /** The one project to which the token is confined. */
  readonly project: string | undefined;
}

/** Returns whether role and project of a token permit an operation. */
export function isPermitted({ role, project }: Holder, operation: Operation): boolean {
  const rule = ruleOf(operation);
  return (project === undefined || rule.platform) && isAtLeast(role, rule.role);
}

function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** @throws FairleadError `insufficient_role`, or `outside_project` for an operation that platform tokens do not permit */
export function authorize(holder: Holder, operation: Operation): void {
  if (isPermitted(holder, operation)) return;
  const rule = ruleOf(operation);
  if (holder.project !== undefined && !rule.platform) {
    const message = 'A token that is confined to one project does not permit this operation';
    throw new FairleadError(ErrorCode.outsideProject, message);
  }
  const message = `The operation requires the role ${rule.role}; the token grants ${holder.role}`;
  throw new FairleadError(ErrorCode.insufficientRole, message);
}
