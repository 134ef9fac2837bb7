import { registrationsOf } from '../registrations.js';
import { shown } from './findings.js';
export function unknownType({ types }, name) {
    const known = [...types.keys()].join(', ') || 'none';
    return `type: expected one of ${known}, saw "${name}"`;
}
/** @returns whether Fairlead would accept the configs */
export function isUsable(provider, type, { given: { config, changed }, found }) {
    try {
        registrationsOf({ ...provider, types: new Map([[type.name, type]]) });
    }
    catch (thrown) {
        found.add(`schema: expected JSON Schemas, saw that ${shown(thrown)}`, thrown);
    }
    const results = Object.entries({ config, changed }).map(([what, value]) => {
        const parsed = value === undefined ? undefined : type.config.safeParse(value);
        if (parsed === undefined || parsed.success)
            return true;
        found.add(`${what}: expected a value that matches the schema, saw ${shown(parsed.error)}`);
        return false;
    });
    return results.every((fits) => fits);
}
