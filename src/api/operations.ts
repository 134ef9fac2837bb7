// The operations of the API: what an id stands for. The server routes and authorizes by this table; clients call by it; the OpenAPI
// document, the access table of docs/authentication.md and audit lines name its ids. Pure, as browsers load it.
import type { Role } from './roles.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public` needs no token. With `inProject`, tokens that are confined to one project may call it within that project. */
export type Operation<LowestRole> = readonly [
  method: Method,
  path: `/${string}`,
  lowestRole: LowestRole,
  scope?: 'inProject',
];

/** An operation on one resource has a second path, `…ByName`, for ids with unescaped slashes, which many clients send. */
export const operations = {
  getHealth: ['GET', '/health', 'public'],
  getLiveness: ['GET', '/livez', 'public'],
  getReadiness: ['GET', '/readyz', 'public'],

  getMe: ['GET', '/auth/me', 'viewer'],

  listProjects: ['GET', '/projects', 'viewer'],
  getProject: ['GET', '/projects/{project_id}', 'viewer', 'inProject'],
  createProject: ['POST', '/projects', 'admin'],
  updateProject: ['PATCH', '/projects/{project_id}', 'admin'],
  deleteProject: ['DELETE', '/projects/{project_id}', 'admin'],

  listResources: ['GET', '/resources/', 'viewer', 'inProject'],
  applyResource: ['POST', '/resources/apply', 'editor', 'inProject'],
  applyResources: ['POST', '/resources/batch', 'editor', 'inProject'],
  getResource: ['GET', '/resources/{resource_id}', 'viewer', 'inProject'],
  updateResource: ['PATCH', '/resources/{resource_id}', 'editor', 'inProject'],
  deleteResource: ['DELETE', '/resources/{resource_id}', 'editor', 'inProject'],
  getResourceByName: ['GET', '/resources/{provider}/{resource}/{name}', 'viewer', 'inProject'],
  updateResourceByName: ['PATCH', '/resources/{provider}/{resource}/{name}', 'editor', 'inProject'],
  deleteResourceByName: [
    'DELETE',
    '/resources/{provider}/{resource}/{name}',
    'editor',
    'inProject',
  ],
  observeResource: ['POST', '/resources/{resource_id}/observe', 'editor', 'inProject'],
  observeResourceByName: [
    'POST',
    '/resources/{provider}/{resource}/{name}/observe',
    'editor',
    'inProject',
  ],
  correctResource: ['POST', '/resources/{resource_id}/correct', 'editor', 'inProject'],
  correctResourceByName: [
    'POST',
    '/resources/{provider}/{resource}/{name}/correct',
    'editor',
    'inProject',
  ],
  previewImport: ['POST', '/resources/preview-import', 'editor', 'inProject'],
  listExplanations: ['GET', '/resources/explanations', 'viewer', 'inProject'],
  explainResource: ['GET', '/resources/{resource_id}/explanation', 'viewer', 'inProject'],
  explainResourceByName: [
    'GET',
    '/resources/{provider}/{resource}/{name}/explanation',
    'viewer',
    'inProject',
  ],
  listResourceEvents: ['GET', '/resources/{resource_id}/events', 'viewer', 'inProject'],
  listResourceEventsByName: [
    'GET',
    '/resources/{provider}/{resource}/{name}/events',
    'viewer',
    'inProject',
  ],
  listResourceHistory: ['GET', '/resources/{resource_id}/history', 'viewer', 'inProject'],
  listResourceHistoryByName: [
    'GET',
    '/resources/{provider}/{resource}/{name}/history',
    'viewer',
    'inProject',
  ],
  // No form with an id: a type may be called `history`.
  getResourceRevision: [
    'GET',
    '/resources/{provider}/{resource}/{name}/history/{revision}',
    'viewer',
    'inProject',
  ],

  listSets: ['GET', '/sets/', 'viewer', 'inProject'],
  getSet: ['GET', '/sets/{set}', 'viewer', 'inProject'],
  applySet: ['PUT', '/sets/{set}', 'editor', 'inProject'],
  deleteSet: ['DELETE', '/sets/{set}', 'editor', 'inProject'],

  listTypes: ['GET', '/resources/types', 'viewer'],
  migrateConfig: ['POST', '/resources/types/{provider}/{resource}/migrate', 'editor', 'inProject'],
  listExistingObjects: [
    'GET',
    '/resources/types/{provider}/{resource}/existing',
    'editor',
    'inProject',
  ],
  registerType: ['POST', '/resources/register', 'admin'],
  unregisterType: ['DELETE', '/resources/unregister/{provider}/{resource}', 'admin'],

  listProviders: ['GET', '/providers/', 'viewer'],
  deleteProvider: ['DELETE', '/providers/{provider}', 'admin'],
  pushCode: ['POST', '/providers/{provider}/push', 'admin'],
  listBuilds: ['GET', '/providers/{provider}/builds', 'viewer'],
  getBuild: ['GET', '/providers/{provider}/builds/{job_name}', 'viewer'],
  getBuildLogs: ['GET', '/providers/{provider}/builds/{job_name}/logs', 'viewer'],
  getProviderLogs: ['GET', '/providers/{provider}/logs', 'viewer'],
  deployProvider: ['POST', '/providers/{provider}/deploy', 'admin'],
  rollbackProvider: ['POST', '/providers/{provider}/rollback', 'admin'],
  getDeployment: ['GET', '/providers/{provider}/deployment', 'viewer'],
  releaseCorrections: ['POST', '/providers/{provider}/corrections/release', 'admin'],
  getProviderSettings: ['GET', '/providers/{provider}/settings', 'viewer'],
  replaceProviderSettings: ['PUT', '/providers/{provider}/settings', 'admin'],
  updateProviderSettings: ['PATCH', '/providers/{provider}/settings', 'admin'],
  deleteProviderSetting: ['DELETE', '/providers/{provider}/settings/{setting}', 'admin'],

  listRegistries: ['GET', '/registries/', 'viewer'],
  setRegistry: ['PUT', '/registries/{scope}', 'admin'],
  deleteRegistry: ['DELETE', '/registries/{scope}', 'admin'],

  listDeadLetters: ['GET', '/ops/dead-letter', 'viewer'],
  getDeadLetter: ['GET', '/ops/dead-letter/{event_id}', 'viewer'],
  retryDeadLetter: ['POST', '/ops/dead-letter/{event_id}/retry', 'editor'],
  retryAllDeadLetters: ['POST', '/ops/dead-letter/retry-all', 'editor'],
  getRedrive: ['GET', '/ops/dead-letter/redrive', 'viewer'],
  deleteDeadLetter: ['DELETE', '/ops/dead-letter/{event_id}', 'editor'],
  deleteDeadLetters: ['DELETE', '/ops/dead-letter', 'editor'],
  listOrphanReceipts: ['GET', '/ops/orphan-receipts', 'viewer'],
  deleteOrphanReceipt: ['DELETE', '/ops/orphan-receipts/{id}', 'editor'],

  getEventKeys: ['GET', '/.well-known/jwks.json', 'public'],
  getProtectedResource: ['GET', '/.well-known/oauth-protected-resource', 'public'],
  getOpenApi: ['GET', '/openapi.json', 'public'],
  getDocs: ['GET', '/docs', 'public'],
  getDocsFile: ['GET', '/docs/{file}', 'public'],

  getConsole: ['GET', '/console', 'public'],
  getConsoleSettings: ['GET', '/console/settings.json', 'public'],
  getConsoleFile: ['GET', '/console/{file}', 'public'],
} as const satisfies Readonly<Record<string, Operation<Role | 'public'>>>;

export type OperationId = keyof typeof operations;

/** Operations for callers with a token. */
export type ProtectedId = {
  [Id in OperationId]: (typeof operations)[Id][2] extends 'public' ? never : Id;
}[OperationId];

export function requiresToken(id: OperationId): id is ProtectedId {
  return operations[id][2] !== 'public';
}

type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Parameters<Rest>
  : never;

/** The names of the parameters in the path of an operation. */
export type PathParameter<Id extends OperationId> = Parameters<(typeof operations)[Id][1]>;
