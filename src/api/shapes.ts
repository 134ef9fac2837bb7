// The types of requests and answers, inferred from the schemas that the server validates with. Types only: nothing of zod is
// loaded, so clients import this file.
import type { z } from 'zod';
import type { Contract } from './contract.ts';
import type { OperationId } from './operations.ts';
import type * as batches from './schemas/batches.ts';
import type * as core from './schemas/core.ts';
import type * as letters from './schemas/dead-letters.ts';
import type * as explanations from './schemas/explanations.ts';
import type * as history from './schemas/history.ts';
import type * as projects from './schemas/projects.ts';
import type * as protectedResource from './schemas/protected-resource.ts';
import type * as settings from './schemas/provider-settings.ts';
import type * as providers from './schemas/providers.ts';
import type * as registries from './schemas/registries.ts';
import type * as address from './schemas/resource-address.ts';
import type * as types from './schemas/resource-types.ts';
import type * as resources from './schemas/resources.ts';
import type * as sets from './schemas/sets.ts';

type PartOf<Id extends OperationId, Part extends string> = Contract[Id] extends {
  readonly [part in Part]: infer Schema;
}
  ? Schema
  : undefined;

type Members<Query> = { readonly [Name in keyof Query]?: Query[Name] | undefined };

/** Empty for an operation without query parameters. */
export type QueryOf<Id extends OperationId> =
  PartOf<Id, 'query'> extends z.ZodType
    ? Members<z.input<PartOf<Id, 'query'>>>
    : Readonly<Record<string, never>>;

/** `never` for an operation without one. */
export type BodyOf<Id extends OperationId> =
  PartOf<Id, 'body'> extends z.ZodType ? z.input<PartOf<Id, 'body'>> : never;

/** Text that is not JSON as it is; undefined for an operation that answers without content. */
export type AnswerOf<Id extends OperationId> =
  PartOf<Id, 'answer'> extends z.ZodType
    ? z.output<PartOf<Id, 'answer'>>
    : PartOf<Id, 'answer'> extends 'text'
      ? string
      : undefined;

export type ResourceRecord = z.output<typeof resources.ResourceRecord>;
export type ApplyResource = z.output<typeof resources.ApplyResource>;
/** A resource of a batch has some of the changes and outcomes of one of a set. */
export type MemberPlan = SetAnswer['resources'][number];
export type BatchAnswer = Omit<z.output<typeof batches.BatchPlan>, 'resources'> &
  Pick<SetAnswer, 'resources'>;
export type SetAnswer = z.output<typeof sets.SetPlan>;
export type SetRecord = z.output<typeof sets.SetRecord>;
export type SetWithMembers = z.output<typeof sets.SetWithMembers>;
export type ListResources = z.input<typeof resources.ListResources>;
export type ResourceTuple = z.output<typeof address.ResourceTuple>;
export type ResourceDefinition = z.output<typeof types.ResourceDefinition>;
export type RegisteredType = z.output<typeof types.RegisteredType>;
export type RegisterType = z.input<typeof types.RegisterType>;
export type ProtectedResource = z.output<typeof protectedResource.ProtectedResource>;
export type Me = z.output<typeof core.Me>;
export type Project = z.output<typeof projects.Project>;
export type PushedBuild = z.output<typeof providers.PushedBuild>;
export type Build = z.output<typeof providers.Build>;
export type Deployment = z.output<typeof providers.Deployment>;
export type Provider = z.output<typeof providers.Provider>;
export type ProviderSettings = z.output<typeof settings.ProviderSettings>;
export type Registry = z.output<typeof registries.Registry>;
export type DeadLetter = z.output<typeof letters.DeadLetter>;
export type DeadLetterDetail = z.output<typeof letters.DeadLetterDetail>;
export type DeadLetterCause = z.output<typeof letters.DeadLetterCause>;
export type Receipt = z.output<typeof letters.Receipt>;
export type Redrive = z.output<typeof letters.Redrive>;
export type Explanation = z.output<typeof explanations.Explanation>;
export type ExplanationLink = Explanation['chain'][number];
export type NextStep = Explanation['next'][number];
export type ResourceEvent = z.output<typeof explanations.ResourceEvent>;
export type CauseGroup = z.output<typeof explanations.CauseGroup>;
export type HistoryEntry = z.output<typeof history.HistoryEntry>;
export type ResourceRevision = z.output<typeof history.ResourceRevision>;
