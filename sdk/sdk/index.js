// The public API of `fairlead/provider`.
export { z } from 'zod';
export { provider, registrationsOf, resource, } from './define.js';
export { fail, later } from './outcome.js';
export { serve } from './serve.js';
export { InvalidSettings, settingsSchemaOf } from './settings.js';
