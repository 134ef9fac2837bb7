// Wraps the handlers of a provider to check that they receive the sent configuration as parsed by the schema.
import { isDeepStrictEqual } from 'node:util';
import { shown } from './findings.js';
/** @param sent the configurations that are sent; handlers must receive one of them, with its defaults */
export function observed(provider, type, { sent, found }) {
    const expected = sent.map((config) => type.config.parse(config));
    const look = ({ config }) => {
        if (expected.some((each) => isDeepStrictEqual(each, config)))
            return;
        found.add(`config: expected handlers to see ${shown(expected)}, saw ${shown(config)}`);
    };
    const watched = {
        ...type,
        create(call) {
            look(call);
            return type.create(call);
        },
        update(call) {
            look(call);
            return type.update(call);
        },
        delete(call) {
            look(call);
            return type.delete(call);
        },
    };
    return { ...provider, types: new Map(provider.types).set(type.name, watched) };
}
