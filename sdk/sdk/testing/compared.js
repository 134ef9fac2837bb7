// Compares what a handler observed with a declared config, as Fairlead does.
import { compare } from '../../domain/observation/compare.js';
import { marksOf, walk } from '../../domain/secrets/marks.js';
import { registrationOf } from './contract/schemas.js';
export function compared(type, { declared, actual }) {
    const provider = { name: 'testing', types: new Map([[type.name, type]]) };
    const schema = registrationOf(provider, type.name)?.schema;
    const secrets = [];
    for (const value of [declared, actual]) {
        walk(marksOf(schema ?? {}), value, (secret, path) => {
            secrets.push(path);
            return secret;
        });
    }
    return compare({ declared, actual, schema, secrets, ignore: [] });
}
