// Compares what a handler observed with a declared config, as Fairlead does.
import { compare } from '../../domain/observation/compare.js';
import { appliedSecretPlaces } from '../../domain/secrets/resource-secrets.js';
import { configOnly } from '../../domain/secrets/type-schemas.js';
import { registrationOf } from './contract/schemas.js';
export function compared(type, { declared, actual }) {
    const provider = { name: 'testing', types: new Map([[type.name, type]]) };
    const schema = registrationOf(provider, type.name)?.schema;
    const places = (value) => appliedSecretPlaces({ declared: [], applied: [] }, configOnly(schema ?? {}), value);
    const secrets = [...places(declared), ...places(actual)];
    return compare({ declared, actual, schema, secrets, ignore: [] });
}
