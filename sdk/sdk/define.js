// Defines providers: a name and types, each with schemas and three handlers.
import { z } from 'zod';
import { deliveryOptionsBody, maxConcurrency, } from '../domain/delivery-options.js';
import { requireDeliveryOptions, requireWhole } from './delivery-options.js';
/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export class DuplicateType extends TypeError {
    code = 'FAIRLEAD_DUPLICATE_TYPE';
}
const providerPattern = /^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/;
const typePattern = /^[a-z][a-z0-9_-]{0,62}$/;
/**
 * Declares a type of resources: two schemas and three handlers.
 *
 * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most
 * 63 characters
 * @param options the description, the schemas of configuration and outputs, and the handlers
 * @returns the type, for `provider`
 * @throws TypeError when Fairlead would reject the name, or an option is of another type
 * @throws RangeError when Fairlead would reject a number: `timeoutSeconds`, `concurrency`, `operationLimitSeconds`, or one of `retry`
 * @example
 * ```ts
 * const bucket = resource('bucket', {
 *   description: 'A bucket in the object store.',
 *   config: z.object({ region: z.string().default('eu-central-1') }),
 *   outputs: z.object({ url: z.string() }),
 *   async create({ name, config, key }) {
 *     return { url: await store.ensureBucket(name, config.region, key) };
 *   },
 *   update({ outputs }) {
 *     return outputs;
 *   },
 *   async delete({ name }) {
 *     await store.removeBucket(name);
 *   },
 * });
 * ```
 */
export function resource(name, options) {
    if (!typePattern.test(name))
        throw new TypeError(`"${name}" is not a valid type name`);
    requireDeliveryOptions(name, options);
    // The types of arguments and outputs are erased here; the runtime parses them with the schemas before every call.
    return { ...options, name };
}
/**
 * Declares a provider. It must be the default export of its package.
 *
 * @param name a DNS label of at most 40 characters
 * @param declared the types of the provider, made by `resource`; or its settings and its types
 * @returns the provider, for `serve`, for `testProvider` and for the runtime of Fairlead
 * @throws TypeError when Fairlead would reject the name, or when a type has other settings than the provider
 * @throws RangeError when Fairlead would reject `concurrency`
 * @throws DuplicateType when two types have the same name
 * @example
 * ```ts
 * export default provider('storage', [bucket]);
 * ```
 * @example
 * ```ts
 * const settings = z.object({ url: z.url(), token: z.string().meta({ sensitive: true }) });
 * const bucket = resource('bucket', { settings, … });
 * export default provider('storage', { settings, types: [bucket] });
 * ```
 */
export function provider(name, declared) {
    if (!providerPattern.test(name))
        throw new TypeError(`"${name}" is not a valid provider name`);
    const { types, settings, concurrency } = 'types' in declared ? declared : { types: declared };
    requireWhole(`Provider ${name}: concurrency`, concurrency, { max: maxConcurrency });
    const byName = new Map(types.map((each) => [each.name, each]));
    const second = types.find((each, at) => types.findIndex(({ name: n }) => n === each.name) < at);
    if (second !== undefined) {
        throw new DuplicateType(`Provider ${name} has two types with the same name: ${second.name}`);
    }
    const other = types.find((each) => each.settings !== undefined && each.settings !== settings);
    if (other !== undefined) {
        throw new TypeError(`Type ${other.name} has other settings than provider ${name}; pass the same schema to both`);
    }
    return {
        name,
        types: byName,
        ...(settings === undefined ? {} : { settings }),
        ...(concurrency === undefined ? {} : { concurrency }),
    };
}
/** @returns the registrations of a provider's types, with the JSON Schemas of their configurations */
export function registrationsOf({ name, types }) {
    return [...types.values()].map((type) => ({
        provider: name,
        resource: type.name,
        description: type.description,
        // The input form, in which fields with defaults are optional.
        schema: z.toJSONSchema(type.config, { io: 'input' }),
        ...deliveryOptionsBody({ ...type, cancelsOperations: type.cancel !== undefined }),
    }));
}
