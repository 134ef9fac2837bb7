import { maxConcurrency } from '../domain/delivery-options.js';
import { firstTypeVersion } from '../domain/type-version.js';
import { withoutUndefined } from '../lib/json.js';
import { requireDeliveryOptions, requireWhole } from './delivery-options.js';
import { requireVersions } from './migrations/from.js';
import { requireObservation } from './observation/declared.js';
/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export class DuplicateType extends TypeError {
    code = 'FAIRLEAD_DUPLICATE_TYPE';
}
const providerPattern = /^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/;
const typePattern = /^[a-z][a-z0-9_-]{0,62}$/;
/**
 * Declares a type of resources: two schemas, three handlers and, as far as it can, `cancel`, `observe` and `list`.
 *
 * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most
 * 63 characters
 * @param options the description, the schemas of configuration and outputs, and the handlers
 * @returns the type, for `provider`
 * @throws TypeError when Fairlead would reject the name, or an option is of another type
 * @throws RangeError when Fairlead would reject a number: `timeoutSeconds`, `concurrency`, `operationLimitSeconds`, or one of `retry`;
 * or the interval `observeEvery`
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
    requireObservation(name, options);
    // The types of arguments and outputs are erased here; the runtime parses them with the schemas before every call.
    return { ...options, name };
}
export function provider(name, declared = {}) {
    if (!providerPattern.test(name))
        throw new TypeError(`"${name}" is not a valid provider name`);
    if (Array.isArray(declared))
        return assembled(name, declared, {});
    const { types, settings, concurrency, start, stop, check } = declared;
    const options = withoutUndefined({ settings, concurrency, start, stop, check });
    requireWhole(`Provider ${name}: concurrency`, concurrency, { max: maxConcurrency });
    requireFunctions(name, options);
    return types === undefined ? declaration(name, options) : assembled(name, types, options);
}
function requireFunctions(name, options) {
    for (const member of ['start', 'stop', 'check']) {
        if (options[member] === undefined || typeof options[member] === 'function')
            continue;
        throw new TypeError(`Provider ${name}: ${member} must be a function`);
    }
}
/** The options of the declaration that made a type: its handlers need what the `start` of this one returned. */
const declaredBy = new WeakMap();
function declaration(name, options) {
    return {
        name,
        resource(typeName, typeOptions) {
            requireVersions(typeName, typeOptions);
            const { version = firstTypeVersion } = typeOptions;
            const type = resource(typeName, { ...typeOptions, version });
            declaredBy.set(type, options);
            return type;
        },
        types: (...types) => assembled(name, types, options),
    };
}
function assembled(name, types, options) {
    const { settings } = options;
    const byName = new Map(types.map((each) => [each.name, each]));
    const second = types.find((each, at) => types.findIndex(({ name: n }) => n === each.name) < at);
    if (second !== undefined) {
        throw new DuplicateType(`Provider ${name} has two types with the same name: ${second.name}`);
    }
    const foreign = types.find((each) => ![undefined, options].includes(declaredBy.get(each)));
    if (foreign !== undefined) {
        throw new TypeError(`Type ${foreign.name} was not declared by provider ${name}; make it with resource of the declaration whose types it belongs to`);
    }
    const other = types.find((each) => each.settings !== undefined && each.settings !== settings);
    if (other !== undefined) {
        throw new TypeError(`Type ${other.name} has other settings than provider ${name}; pass the same schema to both`);
    }
    return { ...options, name, types: byName };
}
