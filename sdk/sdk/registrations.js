// The registrations of types: what builds record, and `POST /resources/register` takes.
import { z } from 'zod';
import { deliveryOptionsBody } from '../domain/delivery-options.js';
import { firstTypeVersion } from '../domain/type-version.js';
import { withoutUndefined } from '../lib/json.js';
import { thrownText } from './failure-text.js';
/**
 * @returns the registrations of a provider's types, with the JSON Schemas of their configs and outputs, also of versions that they
 * migrate from
 * @throws TypeError when a schema cannot be converted to JSON Schema, unless it is that of the outputs of a type that was made by the
 * function `resource`, which is then absent
 */
export function registrationsOf({ name, types }) {
    return [...types.values()].map((type) => withoutUndefined({
        provider: name,
        resource: type.name,
        description: type.description,
        schema: configSchema(type.config, part('config', type.version)),
        type_version: type.version,
        outputs_schema: newestOutputsSchema(type),
        earlier_versions: type.migrations?.map(({ from: version, config, outputs }) => ({
            type_version: version,
            schema: configSchema(config, `the config of version ${version}`),
            outputs_schema: outputsSchema(outputs, `the outputs of version ${version}`),
        })),
        ...deliveryOptionsBody({ ...type, cancelsOperations: type.cancel !== undefined }),
    }));
}
function part(what, version = firstTypeVersion) {
    return version === firstTypeVersion ? `its ${what}` : `the ${what} of version ${version}`;
}
/** Before types had versions, the schema of outputs had to satisfy nobody but zod. */
function newestOutputsSchema({ outputs, version }) {
    try {
        return outputsSchema(outputs, part('outputs', version));
    }
    catch (thrown) {
        if (version === undefined)
            return undefined;
        throw thrown;
    }
}
/** The form that people write, in which fields with defaults are optional. */
function configSchema(schema, what) {
    return jsonSchema(schema, { io: 'input', what });
}
/** The form that handlers returned, parsed. */
function outputsSchema(schema, what) {
    return jsonSchema(schema, { io: 'output', what });
}
function jsonSchema(schema, { io, what }) {
    if (!('_zod' in schema)) {
        throw new TypeError(`${what} is not a zod 4 schema; create it with z of fairlead/provider`);
    }
    try {
        return z.toJSONSchema(schema, { io });
    }
    catch (thrown) {
        const why = thrownText(thrown, 'Zod');
        throw new TypeError(`${what} cannot be converted to JSON Schema: ${why}`, { cause: thrown });
    }
}
