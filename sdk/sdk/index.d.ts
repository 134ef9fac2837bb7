export { z } from 'zod';
export type { RetryOptions } from '../domain/delivery-options.js';
export { type Call, type CancelCall, type DeleteCall, type HandlerLog, type Provider, type ProviderOptions, provider, type Registration, type ResourceType, registrationsOf, resource, type TypeOptions, type UpdateCall, } from './define.js';
export { fail, type Later, later } from './outcome.js';
export { type ServedProvider, type ServeOptions, serve } from './serve.js';
export { InvalidSettings, settingsSchemaOf } from './settings.js';
