// Declares the options of a type: in ResourceDefinitions and Builds, and as builds report them.
import { typeOptionFields, typeOptionRules } from '../domain/type-options.ts';
import { countSchema, reportedShape, storedShape } from './fields.ts';

export const typeOptions = storedShape(typeOptionFields, typeOptionRules);

/** In the report of a build. */
export const reportedOptions = reportedShape(typeOptionFields, typeOptionRules);

/** The concurrency of a provider, which has the limits of that of a type. */
export const concurrency = countSchema(typeOptionFields.concurrency);
