// Gives the requests and answers of the API their types, inferred from the schemas that the server validates with. Types only:
// nothing of zod is loaded.
import type { z } from 'zod';
import type * as core from '../../http/schemas/core.ts';
import type * as letters from '../../http/schemas/dead-letters.ts';
import type * as projects from '../../http/schemas/projects.ts';
import type * as protectedResource from '../../http/schemas/protected-resource.ts';
import type * as providers from '../../http/schemas/providers.ts';
import type * as resources from '../../http/schemas/resources.ts';

export type ResourceRecord = z.output<typeof resources.ResourceRecord>;
export type ApplyResource = z.output<typeof resources.ApplyResource>;
export type ListResources = z.input<typeof resources.ListResources>;
export type GetResourceQuery = z.input<typeof resources.GetResourceQuery>;
export type DeleteResourceQuery = z.input<typeof resources.DeleteResourceQuery>;
export type ResourceTuple = z.output<typeof resources.ResourceTuple>;
export type ResourceDefinition = z.output<typeof core.ResourceDefinition>;
export type RegisterType = z.input<typeof core.RegisterType>;
export type ProtectedResource = z.output<typeof protectedResource.ProtectedResource>;
export type Me = z.output<typeof core.Me>;
export type Readiness = z.output<typeof core.Readiness>;
export type Project = z.output<typeof projects.Project>;
export type CreateProject = z.input<typeof projects.CreateProject>;
export type UpdateProject = z.input<typeof projects.UpdateProject>;
export type PushedBuild = z.output<typeof providers.PushedBuild>;
export type Build = z.output<typeof providers.Build>;
export type DeployRequest = z.input<typeof providers.DeployRequest>;
export type RollbackRequest = z.input<typeof providers.RollbackRequest>;
export type DeployQuery = z.input<typeof providers.DeployQuery>;
/** Of newer servers. */
export interface DryRunOfDeploy {
  readonly dry_run?: boolean;
}
/** Of newer servers. */
export interface ProviderLogsQuery {
  readonly tail?: number;
  readonly since?: string;
  readonly follow?: boolean;
  readonly resource?: string;
  readonly version?: string;
}
export type Deployment = z.output<typeof providers.Deployment>;
export type Provider = z.output<typeof providers.Provider>;
export type DeleteProviderQuery = z.input<typeof providers.DeleteProviderQuery>;
export type DeletedProvider = z.output<typeof providers.DeletedProvider>;
export type ListDeadLetters = z.input<typeof letters.ListDeadLetters>;
export type RetryAllDeadLetters = z.input<typeof letters.RetryAllDeadLetters>;
export type DeleteDeadLetters = z.input<typeof letters.DeleteDeadLetters>;
export type DeadLetter = z.output<typeof letters.DeadLetter>;
export type DeadLetterCause = z.output<typeof letters.DeadLetterCause>;
export type Retried = z.output<typeof letters.Retried>;
export type Deleted = z.output<typeof letters.Deleted>;
export type Receipt = z.output<typeof letters.Receipt>;
