// The public API of `fairlead/provider`.
export { z } from 'zod';
export { provider, resource } from './define.js';
export { from } from './migrations/from.js';
export { gone, } from './observation/results.js';
export { fail, later, retry } from './outcome.js';
export { registrationsOf } from './registrations.js';
export { StartFailure } from './serve/lifetime.js';
export { serve } from './serve/serve.js';
export { InvalidSettings, settingsSchemaOf } from './settings.js';
