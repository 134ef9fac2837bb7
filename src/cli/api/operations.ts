// Lists the operations of the API that the client calls, by their ids in the OpenAPI document, with the types of each.
import type * as t from './bodies.ts';

/** Methods and paths, as in the OpenAPI document. */
export const operations = {
  getHealth: ['GET', '/health'],
  getReadiness: ['GET', '/readyz'],
  getOpenApi: ['GET', '/openapi.json'],
  getProtectedResource: ['GET', '/.well-known/oauth-protected-resource'],
  getMe: ['GET', '/auth/me'],
  listResources: ['GET', '/resources/'],
  getResource: ['GET', '/resources/{resource_id}'],
  applyResource: ['POST', '/resources/apply'],
  deleteResource: ['DELETE', '/resources/{resource_id}'],
  explainResource: ['GET', '/resources/{resource_id}/explanation'],
  listExplanations: ['GET', '/resources/explanations'],
  listResourceEvents: ['GET', '/resources/{resource_id}/events'],
  listResourceHistory: ['GET', '/resources/{resource_id}/history'],
  getResourceRevision: ['GET', '/resources/{provider}/{resource}/{name}/history/{revision}'],
  listTypes: ['GET', '/resources/types'],
  registerType: ['POST', '/resources/register'],
  unregisterType: ['DELETE', '/resources/unregister/{provider}/{resource}'],
  listProviders: ['GET', '/providers/'],
  deleteProvider: ['DELETE', '/providers/{provider}'],
  pushCode: ['POST', '/providers/{provider}/push'],
  listBuilds: ['GET', '/providers/{provider}/builds'],
  getBuild: ['GET', '/providers/{provider}/builds/{job_name}'],
  getBuildLogs: ['GET', '/providers/{provider}/builds/{job_name}/logs'],
  getProviderLogs: ['GET', '/providers/{provider}/logs'],
  deployProvider: ['POST', '/providers/{provider}/deploy'],
  rollbackProvider: ['POST', '/providers/{provider}/rollback'],
  getDeployment: ['GET', '/providers/{provider}/deployment'],
  getProviderSettings: ['GET', '/providers/{provider}/settings'],
  updateProviderSettings: ['PATCH', '/providers/{provider}/settings'],
  deleteProviderSetting: ['DELETE', '/providers/{provider}/settings/{setting}'],
  listDeadLetters: ['GET', '/ops/dead-letter'],
  getDeadLetter: ['GET', '/ops/dead-letter/{event_id}'],
  retryDeadLetter: ['POST', '/ops/dead-letter/{event_id}/retry'],
  retryAllDeadLetters: ['POST', '/ops/dead-letter/retry-all'],
  getRedrive: ['GET', '/ops/dead-letter/redrive'],
  deleteDeadLetter: ['DELETE', '/ops/dead-letter/{event_id}'],
  deleteDeadLetters: ['DELETE', '/ops/dead-letter'],
  listOrphanReceipts: ['GET', '/ops/orphan-receipts'],
  deleteOrphanReceipt: ['DELETE', '/ops/orphan-receipts/{id}'],
  listProjects: ['GET', '/projects'],
  getProject: ['GET', '/projects/{project_id}'],
  createProject: ['POST', '/projects'],
  updateProject: ['PATCH', '/projects/{project_id}'],
  deleteProject: ['DELETE', '/projects/{project_id}'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

export type OperationId = keyof typeof operations;

/** The types of each operation; one without `body` sends none, and one whose `answer` is undefined returns none. */
interface Shapes {
  getHealth: { answer: { status: string } };
  getReadiness: { answer: t.Readiness };
  getOpenApi: { answer: Readonly<Record<string, unknown>> };
  getProtectedResource: { answer: t.ProtectedResource };
  getMe: { answer: t.Me };
  listResources: { query: t.ListResources; answer: readonly t.ResourceRecord[] };
  getResource: { query: t.GetResourceQuery; answer: t.ResourceRecord };
  applyResource: { query: t.ApplyResourceQuery; body: t.ApplyResource; answer: t.ResourceRecord };
  deleteResource: { query: t.DeleteResourceQuery; answer: undefined };
  explainResource: { query: t.ExplainResourceQuery; answer: t.Explanation };
  listExplanations: { query: t.ListExplanations; answer: readonly t.CauseGroup[] };
  listResourceEvents: { query: t.ExplainResourceQuery; answer: readonly t.ResourceEvent[] };
  listResourceHistory: { query: t.GetResourceQuery; answer: readonly t.HistoryEntry[] };
  getResourceRevision: { query: t.GetResourceQuery; answer: t.ResourceRevision };
  listTypes: { answer: readonly t.ResourceDefinition[] };
  registerType: { body: t.RegisterType; answer: t.ResourceDefinition };
  unregisterType: { answer: undefined };
  listProviders: { answer: readonly t.Provider[] };
  deleteProvider: { query: t.DeleteProviderQuery; answer: t.DeletedProvider };
  pushCode: { answer: t.PushedBuild };
  listBuilds: { answer: readonly t.Build[] };
  getBuild: { answer: t.Build };
  getBuildLogs: { answer: string };
  getProviderLogs: { query: t.ProviderLogsQuery; answer: string };
  deployProvider: {
    query: t.DeployQuery;
    body: t.DeployRequest;
    answer: t.Deployment;
  };
  rollbackProvider: {
    query: t.DeployQuery;
    body: t.RollbackRequest;
    answer: t.Deployment;
  };
  getDeployment: { answer: t.Deployment };
  getProviderSettings: { answer: t.ProviderSettings };
  updateProviderSettings: {
    query: t.SettingsQuery;
    body: t.SettingsRequest;
    answer: t.ProviderSettings;
  };
  deleteProviderSetting: { query: t.SettingsQuery; answer: t.ProviderSettings };
  listDeadLetters: {
    query: t.ListDeadLetters;
    answer: readonly t.DeadLetter[] | readonly t.DeadLetterCause[];
  };
  getDeadLetter: { answer: t.DeadLetterDetail };
  retryDeadLetter: { answer: t.DeadLetter };
  retryAllDeadLetters: { query: t.RetryAllDeadLetters; answer: t.Retried };
  getRedrive: { answer: t.Redrive };
  deleteDeadLetter: { answer: undefined };
  deleteDeadLetters: { query: t.DeleteDeadLetters; answer: t.Deleted };
  listOrphanReceipts: { answer: readonly t.Receipt[] };
  deleteOrphanReceipt: { answer: undefined };
  listProjects: { answer: readonly t.Project[] };
  getProject: { answer: t.Project };
  createProject: { body: t.CreateProject; answer: t.Project };
  updateProject: { body: t.UpdateProject; answer: t.Project };
  deleteProject: { answer: undefined };
}

type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Parameters<Rest>
  : never;

type PathOf<Id extends OperationId> = Parameters<(typeof operations)[Id][1]>;

type WithPath<Id extends OperationId> = [PathOf<Id>] extends [never]
  ? { readonly path?: never }
  : { readonly path: Readonly<Record<PathOf<Id>, string>> };

type WithBody<Id extends OperationId> = Shapes[Id] extends { body: infer Body }
  ? { readonly body: Body }
  : { readonly body?: never };

type QueryOf<Id extends OperationId> = Shapes[Id] extends { query: infer Query }
  ? { readonly [Name in keyof Query]?: Query[Name] | undefined }
  : Readonly<Record<string, never>>;

/** Path parameters, query and body of a request to an operation. */
export type InputOf<Id extends OperationId> = WithPath<Id> &
  WithBody<Id> & { readonly query?: QueryOf<Id> };

export type AnswerOf<Id extends OperationId> = Shapes[Id]['answer'];

/** @returns the path of an operation with its parameters percent-encoded */
export function pathOf(id: OperationId, parameters: Readonly<Record<string, string>> = {}): string {
  const [, path] = operations[id];
  return path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
}

/** @returns a query string with its question mark; lists repeat their name, and undefined is left out */
export function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, `${each}`);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
