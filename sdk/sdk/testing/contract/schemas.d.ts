import type { Provider } from '../../provider.js';
import { type Registration } from '../../registrations.js';
/**
 * Checks the schemas of a type and of the settings by the rules of builds that need no compiler.
 *
 * @param provider the provider, made by `provider`
 * @param type the name of one of its types
 * @returns a sentence for each schema that a build would refuse; none for a type whose schemas cannot be converted
 * @example
 * ```ts
 * assert.deepEqual(schemaProblems(storage, 'bucket'), []);
 * ```
 */
export declare function schemaProblems(provider: Provider, type: string): readonly string[];
/** @returns what a build records of a type; undefined when its schemas cannot be converted */
export declare function registrationOf(provider: Provider, name: string): Registration | undefined;
