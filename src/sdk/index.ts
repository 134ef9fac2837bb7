// The public API of `fairlead/provider`.
export { z } from 'zod';
export type { RetryOptions } from '../domain/delivery-options.ts';
export {
  type Call,
  type CancelCall,
  type DeleteCall,
  type HandlerLog,
  type Provider,
  type ProviderOptions,
  provider,
  type Registration,
  type ResourceType,
  registrationsOf,
  resource,
  type TypeOptions,
  type UpdateCall,
} from './define.ts';
export { fail, type Later, later } from './outcome.ts';
export { type ServedProvider, type ServeOptions, serve } from './serve.ts';
export { InvalidSettings, settingsSchemaOf } from './settings.ts';
