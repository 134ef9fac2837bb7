// The public API of `fairlead/provider`.
export { z } from 'zod';
export type { Progress } from '../domain/progress/value.ts';
export type {
  Call,
  CancelCall,
  DeleteCall,
  HandlerLog,
  ListCall,
  Named,
  ObserveCall,
  PlanCall,
  PlannedBeside,
  StartCall,
  UpdateCall,
  WithIdentity,
} from './call.ts';
export { ownedBy } from './call.ts';
export type { Delay, Interval } from './compiler/texts.ts';
export type {
  CallOf,
  Declaration,
  DeclarationOptions,
  DeclaredProvider,
  DeclaredType,
} from './declaration.ts';
export { provider } from './define.ts';
export type { IdentityOptions } from './identity.ts';
export { from, type Migration } from './migrations/from.ts';
export {
  type Gone,
  gone,
  type Listed,
  type ListedObject,
  type Observed,
  type Readable,
} from './observation/results.ts';
export type { ResourceOptions } from './options.ts';
export { fail, type Later, later, type RetryRequest, retry } from './outcome.ts';
export {
  type ConfigPath,
  type Known,
  type Planned,
  type PlanRefusal,
  type PlanReplacement,
  refuse,
  replace,
} from './planning/results.ts';
export type { Provider, ResourceType } from './provider.ts';
export { type Registration, registrationsOf } from './registrations.ts';
export { StartFailure } from './serve/lifetime.ts';
export { type ServedProvider, serve } from './serve/serve.ts';
export type { ServeOptions } from './serve/serve-options.ts';
export { InvalidSettings, settingsSchemaOf } from './settings.ts';
export type { RetryOptions } from './type-options.ts';
