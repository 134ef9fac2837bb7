// The public API of `fairlead/provider`.
export { z } from 'zod';
export { provider, resource } from './define.js';
export { StartFailure } from './lifetime.js';
export { from } from './migrations/from.js';
export { gone, } from './observation/results.js';
export { fail, later, retry } from './outcome.js';
export { registrationsOf } from './registrations.js';
export { serve } from './serve.js';
export { InvalidSettings, settingsSchemaOf } from './settings.js';
