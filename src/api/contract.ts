// The parameters, bodies and answers of each operation. The server validates and documents by it; `shapes.ts` gives clients its types.
import { z } from 'zod';
import type { OperationId } from './operations.ts';
import * as batches from './schemas/batches.ts';
import * as core from './schemas/core.ts';
import * as deadLetters from './schemas/dead-letters.ts';
import * as explanations from './schemas/explanations.ts';
import { IfMatch, IfNoneMatch, LastEventId, PreferWait } from './schemas/headers.ts';
import * as history from './schemas/history.ts';
import * as observation from './schemas/observation.ts';
import * as projects from './schemas/projects.ts';
import { ProtectedResource } from './schemas/protected-resource.ts';
import * as logs from './schemas/provider-logs.ts';
import * as settings from './schemas/provider-settings.ts';
import * as providers from './schemas/providers.ts';
import * as registries from './schemas/registries.ts';
import * as address from './schemas/resource-address.ts';
import * as types from './schemas/resource-types.ts';
import * as resources from './schemas/resources.ts';
import * as sets from './schemas/sets.ts';

/** Parts that are absent are empty: a query parameter or a member of a body that is not declared is refused. */
export interface Exchange {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers, for the documentation, by their names. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  /** JSON. A missing body parses as undefined, if the schema accepts that. */
  readonly body?: z.ZodType;
  /** The body has many resources, and may be longer than others. */
  readonly isBatch?: true;
  /** The body contains secrets: no violation repeats a part of it. */
  readonly hasSecrets?: true;
  /** The only part of a multipart form. */
  readonly file?: { readonly part: string; readonly description: string };
  /** JSON, or `text` for anything else; a 204 has none. */
  readonly answer?: z.ZodType | 'text';
}

const File = z.object({ file: z.string() });
const resource = { path: address.ResourceIdPath };
const resourceByName = { path: address.ResourceTuplePath };
const reading = {
  query: resources.ReadResourceQuery,
  headers: { 'Last-Event-ID': LastEventId, Prefer: PreferWait },
  answer: resources.ResourceRecord,
} as const;
const updating = {
  query: resources.UpdateResourceQuery,
  headers: { 'If-Match': IfMatch, Prefer: PreferWait },
  body: resources.UpdateResource,
  answer: resources.ResourceRecord,
} as const;
const deleting = {
  query: resources.DeleteResourceQuery,
  headers: { 'If-Match': IfMatch, Prefer: PreferWait },
} as const;
const observing = { headers: { Prefer: PreferWait }, answer: resources.ResourceRecord } as const;
const correcting = {
  headers: { 'If-Match': IfMatch, Prefer: PreferWait },
  answer: resources.ResourceRecord,
} as const;
const explaining = {
  query: explanations.ExplainResourceQuery,
  answer: explanations.Explanation,
} as const;
const listingEvents = {
  query: explanations.ExplainResourceQuery,
  answer: explanations.ResourceEvents,
} as const;
const listingHistory = { query: resources.GetResourceQuery, answer: history.History } as const;
const provider = { path: providers.ProviderPath };
const writingSettings = {
  ...provider,
  query: settings.SettingsQuery,
  body: settings.SettingsRequest,
  hasSecrets: true,
  answer: settings.ProviderSettings,
} as const;
const deadLetter = { path: deadLetters.EventPath };

export const contract = {
  getHealth: { answer: core.Health },
  getLiveness: { answer: core.Health },
  getReadiness: { answer: core.Readiness },

  getMe: { answer: core.Me },

  listProjects: { answer: projects.Projects },
  getProject: { path: core.ProjectPath, answer: projects.Project },
  createProject: { body: projects.CreateProject, answer: projects.Project },
  updateProject: {
    path: core.ProjectPath,
    body: projects.UpdateProject,
    answer: projects.Project,
  },
  deleteProject: { path: core.ProjectPath },

  listResources: {
    query: resources.ListResources,
    headers: { 'Last-Event-ID': LastEventId },
    answer: resources.ResourceRecords,
  },
  applyResource: {
    query: resources.ApplyResourceQuery,
    headers: { 'If-Match': IfMatch, 'If-None-Match': IfNoneMatch, Prefer: PreferWait },
    body: resources.ApplyResource,
    answer: resources.ResourceRecord,
  },
  applyResources: {
    query: batches.BatchQuery,
    headers: { 'If-Match': IfMatch },
    body: batches.ApplyResources,
    isBatch: true,
    answer: batches.BatchPlan,
  },
  getResource: { ...resource, ...reading },
  updateResource: { ...resource, ...updating },
  deleteResource: { ...resource, ...deleting },
  getResourceByName: { ...resourceByName, ...reading },
  updateResourceByName: { ...resourceByName, ...updating },
  deleteResourceByName: { ...resourceByName, ...deleting },
  observeResource: { ...resource, ...observing },
  observeResourceByName: { ...resourceByName, ...observing },
  correctResource: { ...resource, ...correcting },
  correctResourceByName: { ...resourceByName, ...correcting },
  previewImport: { body: observation.PreviewImport, answer: observation.ImportPreview },
  listExplanations: { query: explanations.ListExplanations, answer: explanations.CauseGroups },
  explainResource: { ...resource, ...explaining },
  explainResourceByName: { ...resourceByName, ...explaining },
  listResourceEvents: { ...resource, ...listingEvents },
  listResourceEventsByName: { ...resourceByName, ...listingEvents },
  listResourceHistory: { ...resource, ...listingHistory },
  listResourceHistoryByName: { ...resourceByName, ...listingHistory },
  getResourceRevision: {
    path: history.RevisionPath,
    query: resources.GetResourceQuery,
    answer: history.ResourceRevision,
  },

  listSets: { query: sets.ListSets, answer: sets.SetRecords },
  getSet: { path: sets.SetPath, query: sets.GetSetQuery, answer: sets.SetWithMembers },
  applySet: {
    path: sets.SetPath,
    query: batches.BatchQuery,
    body: sets.ApplySet,
    isBatch: true,
    answer: sets.SetPlan,
  },
  deleteSet: { path: sets.SetPath, query: sets.DeleteSetQuery, answer: sets.SetPlan },

  listTypes: { answer: types.ResourceDefinitions },
  migrateConfig: { path: core.TypePath, body: types.MigrateRequest, answer: types.Migrated },
  listExistingObjects: {
    path: core.TypePath,
    query: observation.ListExistingObjects,
    answer: observation.ExistingObjects,
  },
  registerType: {
    query: types.RegisterTypeQuery,
    body: types.RegisterType,
    answer: types.RegisteredType,
  },
  unregisterType: { path: core.TypePath },

  listProviders: { answer: providers.Providers },
  deleteProvider: {
    ...provider,
    query: providers.DeleteProviderQuery,
    answer: providers.DeletedProvider,
  },
  pushCode: {
    ...provider,
    file: {
      part: 'code',
      description: 'Archive of the folder with the code: tar, tar.gz or zip.',
    },
    answer: providers.PushedBuild,
  },
  listBuilds: { ...provider, answer: providers.Builds },
  getBuild: { path: providers.BuildPath, answer: providers.Build },
  getBuildLogs: { path: providers.BuildPath, answer: 'text' },
  getProviderLogs: { ...provider, query: logs.ProviderLogsQuery, answer: 'text' },
  deployProvider: {
    ...provider,
    query: providers.DeployQuery,
    body: providers.DeployRequest,
    answer: providers.Deployment,
  },
  rollbackProvider: {
    ...provider,
    query: providers.DeployQuery,
    body: providers.RollbackRequest,
    answer: providers.Deployment,
  },
  getDeployment: { ...provider, answer: providers.Deployment },
  releaseCorrections: { ...provider, answer: providers.Provider },
  getProviderSettings: { ...provider, answer: settings.ProviderSettings },
  replaceProviderSettings: writingSettings,
  updateProviderSettings: writingSettings,
  deleteProviderSetting: {
    path: settings.SettingPath,
    query: settings.SettingsQuery,
    answer: settings.ProviderSettings,
  },

  listRegistries: { answer: registries.Registries },
  setRegistry: {
    path: registries.RegistryPath,
    query: registries.RegistryQuery,
    body: registries.RegistryRequest,
    hasSecrets: true,
    answer: registries.Registry,
  },
  deleteRegistry: { path: registries.RegistryPath },

  listDeadLetters: { query: deadLetters.ListDeadLetters, answer: deadLetters.DeadLettersOrCauses },
  getDeadLetter: { ...deadLetter, answer: deadLetters.DeadLetterDetail },
  retryDeadLetter: { ...deadLetter, answer: deadLetters.DeadLetter },
  retryAllDeadLetters: { query: deadLetters.RetryAllDeadLetters, answer: deadLetters.Retried },
  getRedrive: { answer: deadLetters.Redrive },
  deleteDeadLetter: deadLetter,
  deleteDeadLetters: { query: deadLetters.DeleteDeadLetters, answer: deadLetters.Deleted },
  listOrphanReceipts: { answer: deadLetters.Receipts },
  deleteOrphanReceipt: { path: deadLetters.ReceiptPath },

  getEventKeys: { answer: core.KeySet },
  getProtectedResource: { answer: ProtectedResource },
  getOpenApi: { answer: z.record(z.string(), z.unknown()) },
  getDocs: { answer: 'text' },
  getDocsFile: { path: File, answer: 'text' },

  getConsole: { answer: 'text' },
  getConsoleSettings: { answer: 'text' },
  getConsoleFile: { path: File, answer: 'text' },
} as const satisfies Readonly<Record<OperationId, Exchange>>;

export type Contract = typeof contract;
